import { describe, expect, it } from 'vitest';
import {
  formatMarker,
  getFingerprint,
  type JobIdentity,
  parseMarker,
} from '../../../src/github/job-annotation.ts';

const identity: JobIdentity = {
  baseUrl: new URL('https://api.example.com/docs'),
  projectId: 'docs',
  prompt: 'Describe it',
  releaseTag: undefined,
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
    ['release', { releaseTag: 'v1.0.0' }],
    ['border between two of them', { projectId: 'docsDescribe', prompt: ' it' }],
  ])('changes with the %s', (_, change) => {
    expect(getFingerprint({ ...identity, ...change })).not.toBe(fingerprint);
  });
});

describe('the marker', () => {
  it('is a wire format', () => {
    expect(formatMarker('job_1', fingerprint)).toBe(
      '[docs-agent-job v1 id=job_1 fingerprint=5b5fdb79ebf50bf536e575141c09ba5e]',
    );
  });

  it.each(['job_0123', 'a', '6501cdd5-b80e-4716-8ed4-609721058a59', 'x'.repeat(128)])(
    'keeps the id %s',
    (jobId) => {
      const marker = formatMarker(jobId, fingerprint);
      for (const text of [marker, `Started agent job ${jobId}. ${marker}`, `x\n${marker} \n`]) {
        expect(parseMarker(text, fingerprint)).toBe(jobId);
      }
    },
  );

  it.each(['../x', '..', 'a/b', 'a b', '%2e%2e', '', 'a\nb', 'x'.repeat(129), '-\u200b'])(
    'refuses the id "%s"',
    (jobId) => {
      expect(parseMarker(formatMarker(jobId, fingerprint), fingerprint)).toBeUndefined();
    },
  );

  it('does not count for another fingerprint, in another version, or in the middle of a text', () => {
    const marker = formatMarker('job_1', fingerprint);
    const other = getFingerprint({ ...identity, projectId: 'other' });
    expect(parseMarker(marker, other)).toBeUndefined();
    for (const text of [
      null,
      '',
      `${marker} x`,
      marker.slice(0, -1),
      marker.replace('v1', 'v2'),
      marker.replace(fingerprint, fingerprint.slice(1)),
      marker.replace(fingerprint, `${fingerprint}0`),
    ]) {
      expect(parseMarker(text, fingerprint)).toBeUndefined();
    }
  });
});
