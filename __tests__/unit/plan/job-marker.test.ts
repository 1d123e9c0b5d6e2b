import { describe, expect, it } from 'vitest';
import {
  formatMarker,
  getFingerprint,
  JOB_ANNOTATION_TITLE,
  type JobIdentity,
  type JobMarker,
  parseAnnotation,
} from '../../../src/plan/job-marker.ts';

const identity: JobIdentity = {
  baseUrl: new URL('https://api.example.com/docs'),
  projectId: 'docs',
  prompt: 'Describe it',
  tag: undefined,
};
const fingerprint = getFingerprint(identity);

function markerOf(jobId: string, runId?: number): JobMarker {
  return { jobId, runId, attempt: 3 };
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
    ['border between two values', { projectId: 'docsDescribe', prompt: ' it' }],
  ])('changes with the %s', (_, change) => {
    expect(getFingerprint({ ...identity, ...change })).not.toBe(fingerprint);
  });
});

describe('formatMarker', () => {
  // A wire format: other versions of the action read it.
  it.each<[JobMarker, string]>([
    [markerOf('job_1'), 'id job_1 attempt 3'],
    [markerOf('job_1', 77), 'id job_1 run 77 attempt 3'],
    ['unknown', 'unknown'],
  ])('writes %o', (marker, text) => {
    expect(formatMarker(marker, fingerprint)).toBe(`[docs-agent-job v1 ${text} fingerprint ${fingerprint}]`);
  });
});

describe('parseAnnotation', () => {
  const parse = (message: string, title = 'Another title') =>
    parseAnnotation({ title, message }, fingerprint);

  it.each<JobMarker>([
    markerOf('job_0123'),
    markerOf('6501cdd5-b80e-4716-8ed4-609721058a59', 9_999_999_999),
    markerOf('x'.repeat(128), 1),
    'unknown',
  ])('reads %o after any sentence', (marker) => {
    for (const sentence of ['', 'Started. ', 'Old words\nof another version, '])
      expect(parse(`${sentence}${formatMarker(marker, fingerprint)}\n`)).toEqual(marker);
  });

  it.each(['../x', '..', 'a/b', 'a b', '%2e%2e', '', 'a\nb', 'x'.repeat(129), '-\u200b', 'a]', 'job_***2'])(
    'cannot read the id "%s"',
    (jobId) => {
      expect(parse(formatMarker(markerOf(jobId), fingerprint))).toBe('unreadable');
    },
  );

  it.each<[string, string]>([
    ['it has another version', `v2 id job_1 attempt 1 fingerprint ${fingerprint}]`],
    ['it lacks the attempt', `v1 id job_1 fingerprint ${fingerprint}]`],
    ['its attempt is 0', `v1 id job_1 attempt 0 fingerprint ${fingerprint}]`],
    ['its run is not a number', `v1 id job_1 run x attempt 1 fingerprint ${fingerprint}]`],
    ['its run is too large', `v1 id job_1 run ${'9'.repeat(16)} attempt 1 fingerprint ${fingerprint}]`],
    ['more words follow', `v1 id job_1 attempt 1 fingerprint ${fingerprint}] and more`],
  ])('reports a marker with our fingerprint as unreadable if %s', (_, text) => {
    expect(parse(`[docs-agent-job ${text}`)).toBe('unreadable');
  });

  // The runner masks annotations, too. Each of these may be a secret, or a line of one.
  const words = '1 22 docs job agent e 5 v1 [ ] id fingerprint'.split(' ');
  it.each([...words, ' ', fingerprint.slice(3, 20)])(
    'does not overlook a record if the runner masks "%s"',
    (secret) => {
      const mask = (text: string) => text.replaceAll(secret, '***');
      for (const marker of [markerOf('job_122'), 'unknown' as const]) {
        const parsed = parse(
          mask(`Started. ${formatMarker(marker, fingerprint)}`),
          mask(JOB_ANNOTATION_TITLE),
        );
        expect(parsed === 'unreadable' || JSON.stringify(parsed) === JSON.stringify(marker), secret).toBe(
          true,
        );
      }
    },
  );

  it.each<[string, string, string?]>([
    ['another fingerprint', formatMarker('unknown', '0'.repeat(32)), JOB_ANNOTATION_TITLE],
    ['another fingerprint, masked', `[docs-agent-job *** fingerprint 0***0]`, JOB_ANNOTATION_TITLE],
    ['the masked end of another', '[docs-agent-job v1 unknown fingerprint 5b***0]', JOB_ANNOTATION_TITLE],
    [
      'the masked middle of another',
      '[docs-agent-job fingerprint 5b***75141***fdb***5e]',
      JOB_ANNOTATION_TITLE,
    ],
    ['a broken marker of another title', '[docs-agent-job v1 unknown]'],
    ['half a title', 'x', 'Docs agent:'],
    ['an empty title', 'x', ''],
    ['an empty message', ''],
  ])('ignores an annotation with %s', (_, message, title) => {
    expect(parse(message, title)).toBeUndefined();
  });
});
