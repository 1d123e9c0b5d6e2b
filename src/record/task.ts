import { createHash } from 'node:crypto';
import { LAST_JOB } from '../changes/range.ts';
import { getReleaseName } from '../changes/versions.ts';
import { getAttemptPage } from '../github/context.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { RecordedAttempt, Run } from '../state/run-state.ts';
import { isLoopback, trimSlashes } from '../text/link.ts';
import type { Claim } from './rule.ts';
import type { Entry } from './wire-format.ts';

/** The task of an attempt, as all its claims name it. */
export type Task = Pick<Entry, 'fingerprint' | 'runId' | 'attempt' | 'scope' | 'series' | 'paths'>;

export function getTask({ inputs, github }: Run): Task {
  return {
    fingerprint: getFingerprint(inputs),
    runId: github.runId ?? 0,
    attempt: github.runAttempt,
    scope: getScope(inputs),
    ...getSeries(inputs),
  };
}

/** Returns whose jobs count for a run: with a tag, those of its release; else those of the run. */
export function getScope({ reuse, tag }: Pick<Inputs, 'reuse' | 'tag'>): Entry['scope'] {
  return reuse === 'auto' && tag !== undefined ? 'release' : 'rerun';
}

/** Returns the attempt that wrote a claim, as far as it is recorded. */
export function describeAttempt({ runId, attempt, atMs }: Claim, { github }: Run): RecordedAttempt {
  const page = getAttemptPage(github, runId, attempt);
  const isOtherRun = runId !== github.runId;
  const mayRun = isOtherRun || attempt >= github.runAttempt;
  return { runId, attempt, page, isOtherRun, mayRun, atMs };
}

/** Returns the words for an attempt, such as `run 123, attempt 1`. */
export function nameAttempt({ runId, attempt }: Pick<Task, 'runId' | 'attempt'>): string {
  return `run ${runId}, attempt ${attempt}`;
}

/**
 * Returns a hash that identifies the task: two runs with the same address, project, prompt,
 * release, paths, and `changes-since` as written ask for the same job. Line ends don't matter. What
 * changed is left out, because a re-run may find something else. No request decides about it: a tag
 * that is looked up could be gone in a re-run.
 */
export function getFingerprint(inputs: Inputs): string {
  const { baseUrl, projectId, request, tag, paths, changesSince } = inputs;
  const release = tag && getReleaseName(tag);
  const prompt = request.kind === 'create' ? request.prompt.replace(/\r\n?/g, '\n') : '';
  const patterns = listPatterns(paths);
  return hash([nameService(baseUrl), projectId, prompt, release, patterns, changesSince]);
}

/**
 * Returns a hash that all tasks of an address and project share whose changes begin at the last
 * job, and one of their `paths`. Empty for other tasks.
 */
export function getSeries(
  inputs: Pick<Inputs, 'baseUrl' | 'projectId' | 'changesSince' | 'paths'>,
): Pick<Entry, 'series' | 'paths'> {
  const { baseUrl, projectId, changesSince } = inputs;
  if (changesSince !== LAST_JOB) {
    return {};
  }
  const patterns = listPatterns(inputs.paths);
  return { series: hash([nameService(baseUrl), projectId]), paths: patterns && hash(patterns) };
}

/** On this machine, without a port: the emulator of a rehearsal has another one in each attempt. */
function nameService(baseUrl: URL): string {
  const url = new URL(baseUrl);
  url.port = isLoopback(url) ? '' : url.port;
  return trimSlashes(url);
}

function listPatterns(paths: Inputs['paths']): string[] | undefined {
  return paths?.map(({ isNegative, glob }) => `${isNegative ? '!' : ''}${glob}`);
}

/** Returns a hash of a whole tag: a run may name two tags of one task, such as two versions. */
export function hashTag(tag: string): string {
  return hash([tag]);
}

function hash(identity: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}
