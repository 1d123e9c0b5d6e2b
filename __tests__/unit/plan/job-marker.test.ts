import { describe, expect, it } from 'vitest';
import {
  formatMarker,
  getFingerprint,
  type JobIdentity,
  type JobMarker,
  parseMarker,
} from '../../../src/plan/job-marker.ts';

const identity: JobIdentity = {
  baseUrl: new URL('https://api.example.com/docs'),
  projectId: 'docs',
  prompt: 'Describe it',
  tag: undefined,
};
const fingerprint = getFingerprint(identity);

function markerOf(jobId: string, runId?: number): JobMarker {
  return { kind: 'id', jobId, startedBy: { runId, attempt: 3 } };
}

describe('getFingerprint', () => {
  it('is 32 hexadecimal digits that stay the same', () => {
    expect(fingerprint).toBe('5b5fdb79ebf50bf536e575141c09ba5e');
    const sameAddress = new URL('https://api.example.com/docs/');
    expect(getFingerprint({ ...identity, baseUrl: sameAddress })).toBe(fingerprint);
  });

  it.each<[string, Partial<JobIdentity>]>([
    ['address', { baseUrl: new URL('https://api.example.com/other') }],
    ['project', { projectId: 'docs2' }],
    ['prompt', { prompt: 'Describe it ' }],
    ['tag', { tag: 'v1.0.0' }],
    ['border between two of them', { projectId: 'docsDescribe', prompt: ' it' }],
  ])('changes with the %s', (_, change) => {
    expect(getFingerprint({ ...identity, ...change })).not.toBe(fingerprint);
  });
});

describe('formatMarker', () => {
  // A wire format: other versions of the action read it.
  it.each<[JobMarker, string]>([
    [markerOf('job_1'), 'id job_1 attempt 3'],
    [markerOf('job_1', 77), 'id job_1 run 77 attempt 3'],
    [{ kind: 'unknown' }, 'unknown'],
  ])('writes %o', (marker, text) => {
    expect(formatMarker(marker, fingerprint)).toBe(`[docs-agent-job v1 ${text} fingerprint ${fingerprint}]`);
  });
});

describe('parseMarker', () => {
  it.each<JobMarker>([
    markerOf('job_0123'),
    markerOf('6501cdd5-b80e-4716-8ed4-609721058a59', 9_999_999_999),
    markerOf('x'.repeat(128), 1),
    { kind: 'unknown' },
  ])('reads %o back, behind any sentence', (marker) => {
    for (const sentence of ['', 'Started. ', 'Old words\nof another version, '])
      expect(parseMarker(`${sentence}${formatMarker(marker, fingerprint)}\n`, fingerprint)).toEqual(marker);
  });

  it.each(['../x', '..', 'a/b', 'a b', '%2e%2e', '', 'a\nb', 'x'.repeat(129), '-\u200b', 'a]'])(
    'refuses the id "%s"',
    (jobId) => {
      expect(parseMarker(formatMarker(markerOf(jobId), fingerprint), fingerprint)).toBeUndefined();
    },
  );

  it.each<[string, string]>([
    ['another version', `v2 id job_1 attempt 1 fingerprint ${fingerprint}]`],
    ['no attempt', `v1 id job_1 fingerprint ${fingerprint}]`],
    ['attempt 0', `v1 id job_1 attempt 0 fingerprint ${fingerprint}]`],
    ['a run that is no number', `v1 id job_1 run x attempt 1 fingerprint ${fingerprint}]`],
    ['a run too large', `v1 id job_1 run ${'9'.repeat(16)} attempt 1 fingerprint ${fingerprint}]`],
    ['words behind it', `v1 id job_1 attempt 1 fingerprint ${fingerprint}] and more`],
    ['half a fingerprint', `v1 id job_1 attempt 1 fingerprint ${fingerprint.slice(1)}]`],
    ['another fingerprint', `v1 id job_1 attempt 1 fingerprint ${'0'.repeat(32)}]`],
    ['upper case', `v1 unknown fingerprint ${fingerprint.toUpperCase()}]`],
    ['nothing', ''],
  ])('refuses %s', (_, text) => {
    expect(parseMarker(`[docs-agent-job ${text}`, fingerprint)).toBeUndefined();
  });
});
