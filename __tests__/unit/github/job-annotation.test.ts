import { describe, expect, it } from 'vitest';
import {
  formatJobAnnotation,
  getFingerprint,
  JOB_ANNOTATION_TITLE,
  type JobIdentity,
  parseJobAnnotation,
} from '../../../src/github/job-annotation.ts';

const identity: JobIdentity = {
  baseUrl: new URL('https://api.example.com/docs'),
  projectId: 'docs',
  prompt: 'Describe it',
  releaseTag: undefined,
};
const fingerprint = getFingerprint(identity);

describe('getFingerprint', () => {
  it('is 32 hexadecimal digits that stay the same', () => {
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

describe('parseJobAnnotation', () => {
  it.each(['job_0123', 'a', '6501cdd5-b80e-4716-8ed4-609721058a59', 'x'.repeat(128)])(
    'reads %s back',
    (jobId) => {
      expect(
        parseJobAnnotation(JOB_ANNOTATION_TITLE, formatJobAnnotation(jobId, fingerprint), fingerprint),
      ).toBe(jobId);
    },
  );

  it.each(['../x', '..', 'a/b', 'a b', '%2e%2e', '', 'a\nb', 'x'.repeat(129), '-\u200b'])(
    'refuses the id "%s"',
    (jobId) => {
      expect(
        parseJobAnnotation(JOB_ANNOTATION_TITLE, formatJobAnnotation(jobId, fingerprint), fingerprint),
      ).toBeUndefined();
    },
  );

  it('refuses another fingerprint, another title, and text before or instead of it', () => {
    const message = formatJobAnnotation('job_1', fingerprint);
    const other = getFingerprint({ ...identity, projectId: 'other' });
    expect(parseJobAnnotation(JOB_ANNOTATION_TITLE, message, other)).toBeUndefined();
    expect(parseJobAnnotation('Docs agent', message, fingerprint)).toBeUndefined();
    expect(parseJobAnnotation(null, message, fingerprint)).toBeUndefined();
    expect(parseJobAnnotation(JOB_ANNOTATION_TITLE, null, fingerprint)).toBeUndefined();
    expect(parseJobAnnotation(JOB_ANNOTATION_TITLE, `x ${message}`, fingerprint)).toBeUndefined();
    expect(
      parseJobAnnotation(
        JOB_ANNOTATION_TITLE,
        message.replace(fingerprint, fingerprint.slice(1)),
        fingerprint,
      ),
    ).toBeUndefined();
  });
});
