import type { Clock } from '../clock.ts';
import type { GitHubContext } from '../github/context.ts';
import { getFingerprint, type JobIdentity } from '../github/job-annotation.ts';
import { InputError, type Inputs, type JobRequest } from '../inputs/read-inputs.ts';
import type { AgentApi } from '../job/agent-client.ts';
import type { Rerun, RunState } from '../outcome.ts';

export interface PreparePorts {
  readonly github: GitHubContext;
  readonly api: AgentApi;
  readonly clock: Clock;
  readonly startedAt: number;
  readonly progress: RunState;
  readonly cancel: AbortSignal;
  /** Takes the secrets out of what GitHub says, before it is shown or sent. */
  readonly redact: (text: string) => string;
  readonly onNote: (text: string) => void;
}

/**
 * What is really to be done, by what GitHub knows: on a re-run a create becomes waiting for the job of an
 * earlier attempt, and a prompt gets the facts of the release. Takes at most half of the time that is left
 * for each, and ends early when the run is cancelled. Throws an `InputError` where the release is unknown.
 */
export async function prepare(inputs: Inputs, ports: PreparePorts): Promise<JobRequest> {
  const { intent } = inputs;
  const { progress } = ports;
  if (intent.kind === 'attach') {
    return intent;
  }
  if (intent.kind === 'create') {
    const { baseUrl, projectId, release } = inputs;
    const identity = { baseUrl, projectId, prompt: intent.prompt, releaseTag: release?.tag };
    progress.identity = identity;
    progress.rerun = await findRerun(inputs, identity, ports);
    if (progress.rerun?.kind === 'reused') {
      return { kind: 'attach', jobId: progress.rerun.jobId };
    }
  }
  return inputs.release === undefined
    ? intent
    : { ...intent, prompt: await compose(intent.prompt, inputs, ports) };
}

async function findRerun(
  { isReusing, isDryRun, timeoutMs }: Inputs,
  identity: JobIdentity,
  ports: PreparePorts,
): Promise<Rerun | undefined> {
  const { github: context, api, cancel, redact, onNote } = ports;
  if (!isReusing || isDryRun || context.runAttempt === 1) {
    return undefined;
  }
  const { findReusableJob } = await import('../github/previous-jobs.ts');
  const limits = { timeoutMs: toLimitMs(timeoutMs, ports), signal: cancel };
  const rerun = await findReusableJob({ context, fingerprint: getFingerprint(identity), api, limits });
  if (rerun.kind === 'reused') {
    onNote(`re-run: attempt ${rerun.attempt} started job ${rerun.jobId}, which this attempt waits for`);
    return rerun;
  }
  const reason = redact(rerun.reason);
  onNote(`re-run: a new job is needed, ${reason}`);
  return { ...rerun, reason };
}

async function compose(prompt: string, { release, timeoutMs }: Inputs, ports: PreparePorts): Promise<string> {
  if (release === undefined) {
    return prompt;
  }
  const { github, cancel, redact, onNote } = ports;
  const { readRelease, renderReleaseContext, UnknownTagError } = await import('../github/release/release.ts');
  const limits = { timeoutMs: toLimitMs(timeoutMs, ports), signal: cancel };
  try {
    const { facts, missing, reason } = await readRelease(github, release, limits);
    if (missing.length > 0) {
      onNote(
        `facts of the release that could not be read: ${missing.join(', ')} (${redact(reason)}); the prompt goes without them`,
      );
    }
    return `${prompt}\n\n---\n${redact(renderReleaseContext(facts))}`;
  } catch (error) {
    throw error instanceof UnknownTagError
      ? new InputError([`\`release-tag\` is wrong: ${error.message}.`])
      : error;
  }
}

function toLimitMs(timeoutMs: number, { clock, startedAt }: PreparePorts): number {
  return (startedAt + timeoutMs - clock.now()) / 2;
}
