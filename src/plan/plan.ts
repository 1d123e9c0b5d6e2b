import type { RunContext } from '../clock.ts';
import { InputError } from '../errors.ts';
import type { GitHubContext } from '../github/context.ts';
import type { ReleaseReading } from '../github/releases.ts';
import type { OpenRunReader } from '../github/runs.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { AgentApi } from '../job/agent-client.ts';
import type { Outcome } from '../outcome.ts';
import type { EarlierJob, JobRecord, Plan } from '../state.ts';
import { code, joinMessages, link, type Message, message } from '../text/message.ts';
import { matchesPatterns } from '../text/path-pattern.ts';
import type { Redact } from '../text/redact.ts';
import type { ReuseDecision } from './earlier-job.ts';
import { getFingerprint } from './job-marker.ts';
import { renderReleaseFacts } from './release-facts.ts';

/** What is worth a line in the log before anything is sent. */
export interface PlanReporter {
  onNote(note: Message): void;
  /** A note that also belongs on the page of the run. */
  onWarning(warning: Message): void;
}

export interface PlanDependencies {
  readonly agent: AgentApi;
  readonly github: GitHubContext;
  /** Loads what a search for earlier jobs needs, which takes longer than everything before the create together. */
  readonly loadRunReader: () => Promise<{ readonly openRunReader: OpenRunReader }>;
  /** Takes the secrets out of what GitHub says before it is sent to the service. */
  readonly redact: Redact;
  readonly reporter: PlanReporter;
}

const RELEASE_TIMEOUT_MS = 20_000;

/**
 * Decides what to send: looks for an existing job to wait for, skips the run if no file that matters has changed, and
 * appends the release facts to the prompt. Returns an outcome if nothing must be sent. Throws an `InputError` if `release-tag` does not exist.
 */
export async function makePlan(
  inputs: Inputs,
  dependencies: PlanDependencies,
  context: RunContext,
): Promise<Plan | Outcome> {
  const { request, baseUrl, projectId, release } = inputs;
  if (request.kind === 'attach') {
    return { request, fingerprint: undefined, earlierJob: undefined };
  }
  if (request.kind === 'follow-up') {
    const reading = await readReleaseIfUsed(inputs, dependencies, context);
    const prompt = composePrompt(request.prompt, inputs, reading, dependencies);
    return { request: { ...request, prompt }, fingerprint: undefined, earlierJob: undefined };
  }
  const fingerprint = getFingerprint({ baseUrl, projectId, prompt: request.prompt, tag: release?.tag });
  const earlierJob = await findEarlierJob(inputs, fingerprint, dependencies, context);
  if (earlierJob !== undefined && 'outcome' in earlierJob) {
    return earlierJob;
  }
  const isFound = earlierJob?.kind === 'found';
  if (isFound && !inputs.dryRun) {
    return { request: { kind: 'attach', jobId: earlierJob.record.jobId }, fingerprint, earlierJob };
  }
  const reading = await readReleaseIfUsed(inputs, dependencies, context);
  const skipped = isFound ? undefined : findSkip(inputs, reading, dependencies);
  if (skipped !== undefined) {
    return skipped;
  }
  const prompt = composePrompt(request.prompt, inputs, reading, dependencies);
  return { request: { ...request, prompt }, fingerprint, earlierJob };
}

async function findEarlierJob(
  { reuse, dryRun, release }: Inputs,
  fingerprint: string,
  { agent, github, loadRunReader, reporter }: PlanDependencies,
  context: RunContext,
): Promise<EarlierJob | Outcome | undefined> {
  if (reuse === 'never' || (reuse === 'rerun' && github.runAttempt === 1)) {
    return undefined;
  }
  const [{ findReusableJob }, { openRunReader }] = await Promise.all([
    import('./earlier-job.ts'),
    loadRunReader(),
  ]);
  const decision = await findReusableJob({
    openReader: openRunReader,
    github,
    fingerprint,
    tag: reuse === 'release' ? release?.tag : undefined,
    agent: dryRun ? undefined : agent,
    context,
  });
  if (context.cancel.aborted && decision.kind !== 'attach') {
    return { outcome: 'cancelled', code: 'cancelled' };
  }
  switch (decision.kind) {
    case 'attach': {
      const { record } = decision;
      const waiting = dryRun ? message`a real run would wait for job` : message`waiting for job`;
      reporter.onNote(message`${waiting} ${record.jobId}, which ${nameAttempt(record, github)} started`);
      return { kind: 'found', record, isOtherRun: record.runId !== github.runId };
    }
    case 'create-after-unknown':
    case 'create-unsearched':
      if (!dryRun) {
        reporter.onWarning(describeRisk(decision));
      }
      return describeNewJob(decision, github, reporter);
    case 'create':
      return describeNewJob(decision, github, reporter);
    case 'unknown':
      if (dryRun) {
        reporter.onNote(
          message`a real run would start nothing: ${nameAttempt(decision.record, github)} may have started a job`,
        );
        return undefined;
      }
      return { outcome: 'start-unknown', code: 'start-unknown', record: decision.record };
    case 'unsearched': {
      const { failure, error } = decision;
      if (dryRun) {
        reporter.onNote(
          message`a real run would start nothing: earlier jobs can't be read (${error.message})`,
        );
        return undefined;
      }
      return { outcome: 'not-started', code: 'reuse-unknown', failure, detail: error.message };
    }
  }
}

type NewJobDecision = Exclude<ReuseDecision, { kind: 'attach' | 'unknown' | 'unsearched' }>;
type RiskyDecision = Exclude<NewJobDecision, { kind: 'create' }>;

function describeNewJob(decision: NewJobDecision, github: GitHubContext, reporter: PlanReporter): EarlierJob {
  const reason = getReason(decision, github);
  reporter.onNote(message`no job to wait for: ${reason}`);
  return { kind: 'none', reason, mayBeSecond: decision.kind !== 'create' };
}

function getReason(decision: NewJobDecision, github: GitHubContext): Message {
  switch (decision.kind) {
    case 'create': {
      const { ended } = decision;
      return ended === undefined
        ? message`no earlier job was recorded`
        : message`the job that ${nameAttempt(ended, github)} started ${ended.ending === 'failed' ? 'failed' : 'is gone'}`;
    }
    case 'create-after-unknown':
      return message`${nameAttempt(decision.record, github)} may have started one, but its response was lost`;
    case 'create-unsearched':
      return message`jobs of earlier attempts can't be read (${decision.error.message})`;
  }
}

/** Says what a second job may come from, and how to prevent it. */
function describeRisk(decision: RiskyDecision): Message {
  switch (decision.kind) {
    case 'create-after-unknown':
      return message`Attempt ${String(decision.record.attempt)} may have started an agent job: its request was sent, but the response was lost. This attempt does not wait for that job.`;
    case 'create-unsearched': {
      const { error } = decision;
      const sentence = message`An earlier attempt may have started an agent job, but its record can't be read (${error.message}).`;
      return decision.failure === 'not-permitted'
        ? joinMessages(
            sentence,
            message`That needs the permissions ${code('actions: read')} and ${code('checks: read')}.`,
          )
        : sentence;
    }
  }
}

function nameAttempt({ runId, attempt, page }: JobRecord, github: GitHubContext): Message {
  const name = message`attempt ${String(attempt)}`;
  return runId === github.runId ? name : message`${name} of another run (${link(page)})`;
}

/** Reads the release if something needs it; undefined if nothing does, or if there is no tag. */
async function readReleaseIfUsed(
  { release, releaseContext, paths }: Inputs,
  { github }: PlanDependencies,
  context: RunContext,
): Promise<ReleaseReading | undefined> {
  if (release === undefined || !(releaseContext || paths !== undefined)) {
    return undefined;
  }
  const { readRelease, UnknownTagError } = await import('../github/releases.ts');
  const timeoutMs = Math.min(RELEASE_TIMEOUT_MS, (context.deadline - context.clock.now()) / 2);
  try {
    return await readRelease(github, release, { timeoutMs, signal: context.cancel });
  } catch (error) {
    throw error instanceof UnknownTagError
      ? new InputError([message`${code('release-tag')} is wrong: ${error.message}.`])
      : error;
  }
}

/** Appends the release context if it is wanted, and says what of it could not be read. */
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
  return `${prompt}\n\n---\n${redact(renderReleaseFacts(release))}`;
}

/** Returns an outcome only if it is certain that no file that changed since the previous tag matches `paths`. */
function findSkip(
  { paths, dryRun }: Inputs,
  reading: ReleaseReading | undefined,
  { reporter }: PlanDependencies,
): Outcome | undefined {
  if (paths === undefined || reading === undefined) {
    return undefined;
  }
  const { release, isDiverged } = reading;
  const { previous, files } = release;
  const isUndecided = previous === undefined || files === undefined || files.isCut || isDiverged;
  if (isUndecided || !('tag' in previous)) {
    reporter.onNote(message`${code('paths')} can't decide whether to skip: ${explainUndecided(reading)}`);
    return undefined;
  }
  const match = files.list.find(({ path, previousPath = path }) =>
    [path, previousPath].some((name) => matchesPatterns(name, paths)),
  );
  if (match !== undefined) {
    reporter.onNote(message`${match.path} has changed since ${previous.tag} and matches ${code('paths')}`);
    return undefined;
  }
  if (dryRun) {
    reporter.onNote(
      message`no file that changed since ${previous.tag} matches ${code('paths')}: a real run would be skipped`,
    );
    return undefined;
  }
  return { outcome: 'skipped', previousTag: previous.tag, files: files.list.length };
}

function explainUndecided({
  release: { tag, previous, files },
  isDiverged,
  reason,
}: ReleaseReading): Message {
  if (previous !== undefined && 'none' in previous) {
    return message`${previous.none}`;
  }
  if (isDiverged && previous !== undefined) {
    return message`${previous.tag} is not an ancestor of ${tag}.`;
  }
  return files?.isCut === true ? message`GitHub lists no more than 300 changed files.` : message`${reason}.`;
}
