import type { Entry, RecordedEntry } from '../../../src/record/wire-format.ts';

/**
 * Returns the statuses that a list of claims stands for, in order. `7.1 released` is a claim of run
 * 7, attempt 1 that is written as `starting`, then settled. `#1 released` settles the first claim
 * later. Any other state is that of a job: claim 2 leads to `job_2`. `words` has the state of each
 * job. The first claim was written ten seconds after the beginning of time, the second one ten
 * seconds later. A claim names the newest job before it, or the one in a word such as `after:claim_1`. Other
 * words change its scope, or its fingerprint.
 */
export function parseEntries(list: string, scope: Entry['scope']) {
  const entries: RecordedEntry[] = [];
  const claims: Entry[] = [];
  const words = new Map<string, string>();
  const write = (entry: Entry): void => {
    const atMs = Number(entry.nonce.replace('claim ', '')) * 10_000;
    entries.push({ ...entry, id: entries.length + 1, atMs });
  };
  for (const row of list === '' ? [] : list.split(', ')) {
    const [who = '', word = '', ...others] = row.split(' ');
    const known = who.startsWith('#') ? claims[Number(who.slice(1)) - 1] : undefined;
    const claim = known ?? parseClaim(who, others, scope, entries, claims.length + 1);
    if (known === undefined) {
      claims.push(claim);
      write(claim);
    }
    if (word === 'released') {
      write({ ...claim, state: word });
    } else if (word !== 'starting') {
      const jobId = claim.nonce.replace('claim ', 'job_');
      words.set(jobId, word);
      write({ ...claim, state: 'job', jobId });
    }
  }
  return { entries, words };
}

function parseClaim(
  who: string,
  words: readonly string[],
  scope: Entry['scope'],
  entries: readonly Entry[],
  number: number,
): Entry {
  const [runId = 0, attempt = 0] = who.split('.').map(Number);
  const named = words.find((word) => word.startsWith('after:'))?.slice('after:'.length);
  const newestJob = entries.findLast(({ jobId }) => jobId !== undefined)?.nonce;
  return {
    fingerprint: words.find((word) => word.endsWith('prompt')) ?? 'this prompt',
    nonce: `claim ${number}`,
    runId,
    attempt,
    scope: words.includes('rerun') ? 'rerun' : scope,
    after: named?.replace('_', ' ') ?? newestJob,
    state: 'starting',
  };
}
