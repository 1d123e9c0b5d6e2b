import type { RunContext } from '../clock.ts';
import { InputError } from '../errors.ts';
import type { GitHubContext } from '../github/context.ts';
import { getFingerprint } from '../github/job-annotation.ts';
import type { JobRecord } from '../github/job-records.ts';
import type { ReleaseReading } from '../github/release/release.ts';
import type { OpenRunReader } from '../github/run-reader.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { AgentApi } from '../job/agent-client.ts';
import type { Outcome, ResolvedRequest, Reuse } from '../outcome.ts';
import { code, joinMessages, link, type Message, message } from '../text/message.ts';
import { matchesPatterns } from '../text/path-pattern.ts';
import type { Redact } from '../text/redact.ts';
import type { ReuseDecision } from './reuse-job.ts';

export interface ResolveDependencies {
  readonly agent: AgentApi;
  readonly github: GitHubContext;
  /** Loads what a search for earlier jobs needs, which takes longer than everything before the create together. */
  readonly loadRunReader: () => Promise<{ readonly openRunReader: OpenRunReader }>;
  /** Takes the secrets out of what GitHub says before it is sent to the service. */
  readonly redact: Redact;
  readonly onNote: (note: Message) => void;
  /** A note that also belongs on the page of the run. */
  readonly onWarning: (warning: Message) => void;
}

const RELEASE_TIMEOUT_MS = 20_000;

/**
 * Resolves the request: reuses an existing job, skips the run if no path that matters has changed, and appends the release
 * context to the prompt. Returns an outcome if nothing must be sent. Throws an `InputError` if `release-tag` does not exist.
 */
export async function resolveRequest(
  inputs: Inputs,
  dependencies: ResolveDependencies,
  context: RunContext,
): Promise<ResolvedRequest | Outcome> {
  const { request, baseUrl, projectId, release } = inputs;
  if (request.kind === 'attach') {
    return { request, fingerprint: undefined, reuse: undefined };
  }
  if (request.kind === 'follow-up') {
    const reading = await readReleaseIfUsed(inputs, dependencies, context);
    const prompt = composePrompt(request.prompt, inputs, reading, dependencies);
    return { request: { ...request, prompt }, fingerprint: undefined, reuse: undefined };
  }
  const fingerprint = getFingerprint({ baseUrl, projectId, prompt: request.prompt, tag: release?.tag });
  const reuse = await findReuse(inputs, fingerprint, dependencies, context);
  if (reuse !== undefined && 'outcome' in reuse) {
    return reuse;
  }
  const isReused = reuse?.kind === 'reused';
  if (isReused && !inputs.dryRun) {
    return { request: { kind: 'attach', jobId: reuse.record.jobId }, fingerprint, reuse };
  }
  const reading = await readReleaseIfUsed(inputs, dependencies, context);
  const skipped = isReused ? undefined : findSkip(inputs, reading, dependencies);
  if (skipped !== undefined) {
    return skipped;
  }
  const prompt = composePrompt(request.prompt, inputs, reading, dependencies);
  return { request: { ...request, prompt }, fingerprint, reuse };
}

async function findReuse(
  { reuse, dryRun, release }: Inputs,
  fingerprint: string,
  { agent, github, loadRunReader, onNote, onWarning }: ResolveDependencies,
  context: RunContext,
): Promise<Reuse | Outcome | undefined> {
  if (reuse === 'never' || (reuse === 'rerun' && github.runAttempt === 1)) {
    return undefined;
  }
  const [{ findReusableJob }, { openRunReader }] = await Promise.all([
    import('./reuse-job.ts'),
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
      onNote(message`${waiting} ${record.jobId}, which ${nameAttempt(record, github)} started`);
      return { kind: 'reused', record, isOtherRun: record.runId !== github.runId };
    }
    case 'create-after-unknown':
    case 'create-unsearched':
      if (!dryRun) {
        onWarning(describeRisk(decision));
      }
      return describeNewJob(decision, github, onNote);
    case 'create':
      return describeNewJob(decision, github, onNote);
    case 'unknown':
      if (dryRun) {
        onNote(
          message`a real run would start nothing: ${nameAttempt(decision.record, github)} may have started a job`,
        );
        return undefined;
      }
      return { outcome: 'start-unknown', code: 'start-unknown', record: decision.record };
    case 'unsearched': {
      const { failure, error } = decision;
      if (dryRun) {
        onNote(message`a real run would start nothing: earlier jobs can't be read (${error.message})`);
        return undefined;
      }
      return { outcome: 'not-started', code: 'reuse-unknown', failure, detail: error.message };
    }
  }
}

type NewJobDecision = Exclude<ReuseDecision, { kind: 'attach' | 'unknown' | 'unsearched' }>;
type RiskyDecision = Exclude<NewJobDecision, { kind: 'create' }>;

function describeNewJob(
  decision: NewJobDecision,
  github: GitHubContext,
  onNote: ResolveDependencies['onNote'],
): Reuse {
  const reason = getReason(decision, github);
  onNote(message`no job to wait for: ${reason}`);
  return { kind: 'new-job', reason };
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
  { github }: ResolveDependencies,
  context: RunContext,
): Promise<ReleaseReading | undefined> {
  if (release === undefined || !(releaseContext || paths !== undefined)) {
    return undefined;
  }
  const { readRelease, UnknownTagError } = await import('../github/release/release.ts');
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
  { redact, onNote }: ResolveDependencies,
): string {
  if (!releaseContext || reading === undefined) {
    return prompt;
  }
  const { missing, reason, section } = reading;
  if (missing.length > 0) {
    onNote(message`couldn't read some of the release context: ${missing.join(', ')} (${reason})`);
  }
  return `${prompt}\n\n---\n${redact(section)}`;
}

/** Returns an outcome only if it is certain that no file that changed since the previous tag matches `paths`. */
function findSkip(
  { paths, dryRun }: Inputs,
  reading: ReleaseReading | undefined,
  { onNote }: ResolveDependencies,
): Outcome | undefined {
  if (paths === undefined || reading === undefined) {
    return undefined;
  }
  const { release, isDiverged } = reading;
  const { previous, files } = release;
  const isUndecided = previous === undefined || files === undefined || files.isCut || isDiverged;
  if (isUndecided || !('tag' in previous)) {
    onNote(message`${code('paths')} can't decide whether to skip: ${explainUndecided(reading)}`);
    return undefined;
  }
  const match = files.list.find(({ path, previousPath = path }) =>
    [path, previousPath].some((name) => matchesPatterns(name, paths)),
  );
  if (match !== undefined) {
    onNote(message`${match.path} has changed since ${previous.tag} and matches ${code('paths')}`);
    return undefined;
  }
  if (dryRun) {
    onNote(
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
