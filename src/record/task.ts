import { createHash } from 'node:crypto';
import { LAST_JOB } from '../changes/range.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Run } from '../state/run-state.ts';
import { isLoopback, trimSlashes } from '../text/link.ts';
import type { Entry } from './wire-format.ts';

/** The task of an attempt, as all its claims name it. */
export type Task = Pick<Entry, 'fingerprint' | 'runId' | 'attempt' | 'scope' | 'series' | 'paths'>;

export function getTask({ inputs, github }: Run): Task {
  return {
    fingerprint: getFingerprint(inputs),
    runId: github.runId ?? 0,
    attempt: github.runAttempt,
    scope: inputs.reuse === 'release' ? 'release' : 'rerun',
    ...getSeries(inputs),
  };
}

/** Returns the words for an attempt, such as `run 123, attempt 1`. */
export function nameAttempt({ runId, attempt }: Pick<Task, 'runId' | 'attempt'>): string {
  return `run ${runId}, attempt ${attempt}`;
}

/**
 * Returns a hash that identifies the task: two runs with the same address, project, prompt, tag,
 * paths, and `changes-since` as written ask for the same job. Line ends don't matter. What changed
 * is left out, because a re-run may find something else.
 */
export function getFingerprint(inputs: Inputs): string {
  const { baseUrl, projectId, request, tag, paths, changesSince } = inputs;
  const prompt = request.kind === 'create' ? request.prompt.replace(/\r\n?/g, '\n') : '';
  return hash([nameService(baseUrl), projectId, prompt, tag, listPatterns(paths), changesSince]);
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

function hash(identity: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}
