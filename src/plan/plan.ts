import { getRemainingMs, type RunContext } from '../clock.ts';
import { InputError } from '../errors.ts';
import type { OpenGitHub } from '../github/client.ts';
import type { GitHubContext } from '../github/context.ts';
import type { ReleaseReading } from '../github/releases.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { AgentApi } from '../job/agent-client.ts';
import type { Outcome } from '../outcome.ts';
import type { EarlierJob, Plan } from '../state.ts';
import { code, type Message, message } from '../text/message.ts';
import type { Redact } from '../text/redact.ts';
import { getFingerprint } from './job-marker.ts';
import { decideByPaths } from './paths.ts';
import { renderReleaseFacts } from './release-facts.ts';

/** Logs the decisions before anything is sent. */
export interface PlanReporter {
  onNote(note: Message): void;
  /** A note that also belongs on the page of the run. */
  onWarning(warning: Message): void;
}

export interface PlanDependencies {
  readonly agent: AgentApi;
  readonly github: GitHubContext;
  readonly openGitHub: OpenGitHub;
  /** Takes the secrets out of facts before they are sent to the service. */
  readonly redact: Redact;
  readonly reporter: PlanReporter;
}

const RELEASE_TIMEOUT_MS = 20_000;

/**
 * Decides what to send, in three steps: waits for an earlier job if there is one, skips the run if no file that matters
 * has changed, and appends the release facts to the prompt. Returns an outcome if nothing must be sent. Throws an
 * `InputError` if `release-tag` does not exist.
 */
export async function makePlan(
  inputs: Inputs,
  dependencies: PlanDependencies,
  context: RunContext,
): Promise<Plan | Outcome> {
  const { request, baseUrl, projectId, release, paths, dryRun } = inputs;
  const { reporter } = dependencies;
  if (request.kind === 'attach') {
    return { request, fingerprint: undefined, earlierJob: undefined };
  }
  const identity = { baseUrl, projectId, prompt: request.prompt, tag: release?.tag };
  const fingerprint = request.kind === 'create' ? getFingerprint(identity) : undefined;
  const earlierJob =
    fingerprint === undefined ? undefined : await findJobToReuse(fingerprint, inputs, dependencies, context);
  if (earlierJob !== undefined && 'outcome' in earlierJob) {
    return earlierJob;
  }
  const isFound = earlierJob?.kind === 'found';
  if (isFound && !dryRun) {
    return { request: { kind: 'attach', jobId: earlierJob.record.jobId }, fingerprint, earlierJob };
  }
  const reading = await readReleaseIfUsed(inputs, dependencies, context);
  if (!isFound && paths !== undefined && reading !== undefined) {
    const decision = decideByPaths(reading, paths);
    if (!('outcome' in decision)) {
      reporter.onNote(decision);
    } else if (dryRun) {
      const since = message`no file that changed since ${decision.previousTag} matches ${code('paths')}`;
      reporter.onNote(message`${since}: a real run would be skipped`);
    } else {
      return decision;
    }
  }
  const prompt = composePrompt(request.prompt, inputs, reading, dependencies);
  return { request: { ...request, prompt }, fingerprint, earlierJob };
}

/** Looks for an existing job where `reuse` says; undefined if it says nowhere. */
async function findJobToReuse(
  fingerprint: string,
  { reuse, release, dryRun }: Inputs,
  dependencies: PlanDependencies,
  context: RunContext,
): Promise<EarlierJob | Outcome | undefined> {
  // A first attempt has no earlier ones to look at.
  const isFirst = dependencies.github.runAttempt === 1;
  if (reuse === 'never' || (reuse === 'rerun' && isFirst)) {
    return undefined;
  }
  const { findEarlierJob } = await import('./earlier-job.ts');
  const tag = reuse === 'release' ? release?.tag : undefined;
  return findEarlierJob(fingerprint, tag, dryRun, dependencies, context);
}

/** Reads the release. Undefined if nothing needs it, or if there is no tag. */
async function readReleaseIfUsed(
  { release, releaseContext, paths }: Inputs,
  { github, openGitHub }: PlanDependencies,
  context: RunContext,
): Promise<ReleaseReading | undefined> {
  if (release === undefined || !(releaseContext || paths !== undefined)) {
    return undefined;
  }
  const { readRelease } = await import('../github/releases.ts');
  const timeoutMs = Math.min(RELEASE_TIMEOUT_MS, getRemainingMs(context) / 2);
  const reading = await readRelease(github, release, () => openGitHub({ timeoutMs, signal: context.cancel }));
  // The tag of an event may just be too new to be listed.
  if (reading.isUnknownTag && release.isNamed) {
    throw new InputError([message`${code('release-tag')} is wrong: ${reading.reason}.`]);
  }
  return reading;
}

/** Appends the release context if it is wanted, and logs the parts that could not be read. */
function composePrompt(
  prompt: string,
  { releaseContext }: Inputs,
  reading: ReleaseReading | undefined,
  { redact, reporter }: PlanDependencies,
): string {
  if (!releaseContext || reading === undefined) {
    return prompt;
  }
  const { missing, reason, release } = reading;
  if (missing.length > 0) {
    reporter.onNote(message`couldn't read some of the release context: ${missing.join(', ')} (${reason})`);
  }
  return `${prompt}\n\n---\n${renderReleaseFacts(release, redact)}`;
}
