import { describe, expect, it } from 'vitest';
import {
  formatMarker,
  getFingerprint,
  type JobIdentity,
  type JobMarker,
  parseMarker,
} from '../../../src/github/job-annotation.ts';

const identity: JobIdentity = {
  baseUrl: new URL('https://api.example.com/docs'),
  projectId: 'docs',
  prompt: 'Describe it',
  tag: undefined,
};
const fingerprint = getFingerprint(identity);

describe('getFingerprint', () => {
  it('is 32 hexadecimal digits that never change', () => {
    expect(fingerprint).toBe('5b5fdb79ebf50bf536e575141c09ba5e');
    expect(getFingerprint({ ...identity, baseUrl: new URL('https://api.example.com/docs/') })).toBe(
      fingerprint,
    );
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

describe('the marker', () => {
  const own = { runId: undefined, attempt: 1 };
  const other = { runId: 7012345678, attempt: 12 };
  const format = (jobId: string) => formatMarker({ kind: 'id', jobId, startedBy: own }, fingerprint);

  it.each<[JobMarker, string]>([
    [{ kind: 'id', jobId: 'job_1', startedBy: own }, 'id job_1 attempt 1'],
    [{ kind: 'id', jobId: 'job_1', startedBy: other }, 'id job_1 run 7012345678 attempt 12'],
    [{ kind: 'unknown' }, 'unknown'],
  ])('is a wire format: %o', (marker, text) => {
    const written = formatMarker(marker, fingerprint);
    expect(written).toBe(`[docs-agent-job v1 ${text} fingerprint ${fingerprint}]`);
    for (const around of [written, `Started agent job x. ${written}`, `x\n${written} \n`]) {
      expect(parseMarker(around, fingerprint)).toEqual(marker);
    }
  });

  it.each(['job_0123', 'a', '6501cdd5-b80e-4716-8ed4-609721058a59', 'x'.repeat(128)])(
    'keeps the id %s',
    (jobId) => {
      expect(parseMarker(format(jobId), fingerprint)).toMatchObject({ jobId });
    },
  );

  it.each(['../x', '..', 'a/b', 'a b', '%2e%2e', '', 'a\nb', 'x'.repeat(129), '-\u200b'])(
    'refuses the id "%s"',
    (jobId) => {
      expect(parseMarker(format(jobId), fingerprint)).toBeUndefined();
    },
  );

  it('does not count for another fingerprint, in another form, or in the middle of a text', () => {
    const marker = format('job_1');
    expect(parseMarker(marker, getFingerprint({ ...identity, projectId: 'other' }))).toBeUndefined();
    for (const text of [
      '',
      `${marker} x`,
      marker.slice(0, -1),
      marker.replace('v1', 'v2'),
      marker.replace('attempt 1', 'attempt 0'),
      marker.replace('attempt 1', 'run 0 attempt 1'),
      marker.replace(' attempt 1', ''),
      marker.replace(fingerprint, fingerprint.slice(1)),
      marker.replace(fingerprint, `${fingerprint}0`),
    ]) {
      expect(parseMarker(text, fingerprint)).toBeUndefined();
    }
  });
});
