import type { Job } from '../../emulator/jobs.ts';
import type { Stage } from '../../emulator/replies.ts';
import type { ActionOptions } from '../harness/action.ts';
import type { setUp } from './github.ts';

// Runs whose changes begin at the last job.

type World = Awaited<ReturnType<typeof setUp>>;

export const inputs = { 'include-changes': 'true', 'changes-since': 'last job' };
export const opened = 'pull-request-opened';

/** Returns a commit as the prompt shows it. */
export const short = (sha: string): string => sha.slice(0, 10);

let runs = 0;
/** Returns the options of a run of its own for a commit. */
export function on(
  sha: string,
  env: Record<string, string> = {},
  name = 'schedule',
): ActionOptions {
  runs += 1;
  return {
    event: { name, payload: { repository: { default_branch: 'main' } } },
    env: {
      GITHUB_EVENT_NAME: name,
      GITHUB_REF: 'refs/heads/main',
      GITHUB_REF_NAME: 'main',
      GITHUB_SHA: sha,
      GITHUB_RUN_ID: `${5_000 + runs}`,
      ...env,
    },
  };
}

/** Runs the action for a commit. Returns its result, and where the changes in its prompt begin. */
export async function night(
  world: World,
  sha: string,
  changes: Record<string, string> = {},
  options: ActionOptions = on(sha),
) {
  const { outputs, stdout, since } = await play(world, sha, changes, options);
  return [outputs['error-code'] || outputs['job-result'], ...since, stdout] as const;
}

/** Runs the action for a commit. Returns all of its result. */
export async function play(
  { finish, prompts }: World,
  sha: string,
  changes: Record<string, string> = {},
  options: ActionOptions = on(sha),
) {
  const before = prompts().length;
  const result = await finish({ ...inputs, ...changes }, options);
  const since = prompts()
    .slice(before)
    .map((prompt) => /^Changes since: (.+)$/m.exec(prompt)?.[1]);
  return { ...result, since };
}

/** Changes the status of a job. */
export function settle(job: Readonly<Job> | undefined, stage: Omit<Stage, 'atSeconds'>): void {
  const stages = [{ atSeconds: 0, ...stage }];
  Object.assign(job ?? {}, { project: { ...job?.project, stages } });
}
