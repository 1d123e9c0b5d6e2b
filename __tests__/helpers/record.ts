import type { CommitStatus } from '../../emulator/github/repository.ts';
import type { ActionOptions } from '../../harness/action.ts';
import { tagPush } from './github.ts';

/** A project of the emulator with jobs that fail at once. */
export const failsAtOnce = {
  id: 'failing',
  description: 'fails at once',
  stages: [{ atSeconds: 0, status: 'failed' }],
} as const;

/** Returns the variables of an attempt of a run. */
export function attempt(number: number, env: Record<string, string> = {}): ActionOptions {
  return { env: { GITHUB_RUN_ATTEMPT: `${number}`, ...env } };
}

/** Returns the variables of a run for a pushed tag. */
export function tagRun(runId: string, tag: string, sha: string, number = 1): ActionOptions {
  return attempt(number, { ...tagPush(tag).env, GITHUB_RUN_ID: runId, GITHUB_SHA: sha });
}

/** The machine part of a status. */
export type Fields = Readonly<Record<string, string>>;

/** Returns the machine part of each status, oldest first. */
export function readFields(statuses: readonly CommitStatus[] = []): Fields[] {
  return statuses.map(({ targetUrl }) =>
    Object.fromEntries(new URLSearchParams(new URL(targetUrl ?? 'https://x').hash.slice(1))),
  );
}

/** Returns a copy of a status with other fields in its machine part. */
export function forge(status: CommitStatus, changes: Fields): CommitStatus {
  const link = new URL(status.targetUrl ?? '');
  const fields = new URLSearchParams(link.hash.slice(1));
  for (const [name, value] of Object.entries(changes)) fields.set(name, value);
  link.hash = fields.toString();
  return { ...status, id: status.id + 1_000, targetUrl: link.href, creator: 'mallory' };
}
