import { describe, expect, it } from 'vitest';
import {
  type JobIdentity,
  NOTICE_TITLE,
  parseNotice,
  renderNotice,
  toFingerprint,
} from '../../src/github/notice.ts';

const identity: JobIdentity = {
  baseUrl: new URL('https://api.example.com/docs'),
  projectId: 'docs',
  prompt: 'Describe it',
  releaseTag: undefined,
};
const fingerprint = toFingerprint(identity);

describe('toFingerprint', () => {
  it('is 32 hexadecimal digits that stay the same', () => {
    expect(fingerprint).toBe('5b5fdb79ebf50bf536e575141c09ba5e');
    expect(toFingerprint({ ...identity, baseUrl: new URL('https://api.example.com/docs/') })).toBe(
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
    expect(toFingerprint({ ...identity, ...change })).not.toBe(fingerprint);
  });
});

describe('parseNotice', () => {
  it.each(['job_0123', 'a', '6501cdd5-b80e-4716-8ed4-609721058a59', 'x'.repeat(128)])(
    'reads %s back',
    (jobId) => {
      expect(parseNotice(NOTICE_TITLE, renderNotice(jobId, fingerprint), fingerprint)).toBe(jobId);
    },
  );

  it.each(['../x', '..', 'a/b', 'a b', '%2e%2e', '', 'a\nb', 'x'.repeat(129), '-\u200b'])(
    'refuses the id "%s"',
    (jobId) => {
      expect(parseNotice(NOTICE_TITLE, renderNotice(jobId, fingerprint), fingerprint)).toBeUndefined();
    },
  );

  it('refuses another fingerprint, another title, and text before or instead of it', () => {
    const message = renderNotice('job_1', fingerprint);
    const other = toFingerprint({ ...identity, projectId: 'other' });
    expect(parseNotice(NOTICE_TITLE, message, other)).toBeUndefined();
    expect(parseNotice('Docs agent', message, fingerprint)).toBeUndefined();
    expect(parseNotice(null, message, fingerprint)).toBeUndefined();
    expect(parseNotice(NOTICE_TITLE, null, fingerprint)).toBeUndefined();
    expect(parseNotice(NOTICE_TITLE, `x ${message}`, fingerprint)).toBeUndefined();
    expect(
      parseNotice(NOTICE_TITLE, message.replace(fingerprint, fingerprint.slice(1)), fingerprint),
    ).toBeUndefined();
  });
});
