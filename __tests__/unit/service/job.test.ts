import { expect, it, vi } from 'vitest';
import { isJobId, parseJob } from '../../../src/service/job.ts';
import { KEY } from '../fixtures.ts';

const redact = (text: string): string => text.replaceAll(KEY, '***');
const record = {
  id: 'job_1',
  status: 'completed',
  source: { repository: 'https://github.com/acme/docs', ref: 'main' },
  model: 'docs-writer-2',
  prLink: 'https://github.com/acme/docs/pull/1',
  createdAt: '2026-11-20T18:30:00.000Z',
  archivedAt: '2026-11-20T19:30:00+01:00',
  extra: { kept: true },
};

const { source, extra: _, ...fields } = record;
const whole = { ...fields, ...source, refusedLink: undefined, json: JSON.stringify(record) };

it('reads every field of a record, and keeps the record as JSON', () => {
  expect(parseJob(record, redact)).toEqual(whole);
});

it('needs only an id, which may be a number, and a status', () => {
  expect(parseJob({ ...record, id: 7 }, redact)?.id).toBe('7');
  const bare = { id: 'job_1', status: 'new-one' };
  const nothing = Object.fromEntries(Object.keys(whole).map((name) => [name, undefined]));
  const json = JSON.stringify(bare);
  expect(parseJob(bare, redact)).toEqual({ ...nothing, ...bare, json });
});

const invalidIds = [7.5, 2 ** 53, -7, '', '..', 'a::b', true, {}];
it.each<[string, readonly unknown[]]>([
  ['no record', [undefined, null, 'text', 7, [], [record], {}]],
  ['no id or no status', [{ status: 'active' }, { id: 'job_1' }, { ...record, status: 1 }]],
  ['an invalid id', invalidIds.map((id) => ({ ...record, id }))],
  ['a prototype', [JSON.parse(`{"__proto__":${JSON.stringify(record)}}`)]],
])('returns nothing for a response with %s', (_, replies) => {
  for (const reply of replies) {
    expect(parseJob(reply, redact)).toBeUndefined();
  }
});

const times = [null, 7, '', 'yesterday', '2026-11-20T18:30:00', '2026-13-20T18:30:00Z'];
it.each<[string, readonly unknown[], readonly string[]]>([
  ['source', [null, 'text', { repository: 7, ref: {} }], ['repository', 'ref']],
  ['source', [{ repository: 'http://github.com/acme/docs', ref: '-a' }], ['repository', 'ref']],
  ['model', [null, 7, '', ' ', '-v', 'x'.repeat(201)], ['model']],
  ['createdAt', times, ['createdAt']],
  ['archivedAt', times, ['archivedAt']],
])('leaves out an unusable `%s`', (field, values, names) => {
  const missing = Object.fromEntries(names.map((name) => [name, undefined]));
  for (const value of values) {
    const changed = { ...record, [field]: value };
    const { json = '', ...job } = parseJob(changed, redact) ?? {};
    expect({ ...job, json: JSON.parse(json) }).toEqual({ ...whole, ...missing, json: changed });
  }
});

it.each([
  ...['a\nb', 'a\rb', 'a\u2028b'].map((text) => [text, undefined]),
  ['Claude Opus 4.6', 'Claude Opus 4.6'],
  ['docs/#12 <b> $(id)', 'docs/#12 <b> $(id)'],
  ['a::b ##[c', 'a: :b # #[c'],
  ['a\u200b\\b', 'a<U+200B><U+005C>b'],
  ['x'.repeat(200), 'x'.repeat(200)],
  ['\\'.repeat(200), `${'<U+005C>'.repeat(24)}<U+005C…`],
])('shows the names %j as %j', (text, shown) => {
  const job = parseJob({ ...record, source: { ref: text }, model: text }, redact);
  expect([job?.ref, job?.model]).toEqual([shown, shown]);
});

it.each([
  [undefined, undefined],
  [null, undefined],
  ['', undefined],
  [' ', ' '],
  [7, 'a value that is not text (number)'],
  ['javascript:alert(1)', 'javascript:alert(1)'],
  [`https://github.com/${KEY}`, 'https://github.com/***'],
])('leaves out the link %o', (prLink, refusedLink) => {
  expect(parseJob({ ...record, prLink }, redact)).toMatchObject({ prLink: undefined, refusedLink });
});

it.each([...'&;|<>$`"\'\\*?[]{}()!#^%=, \t\n'])(
  'leaves out %j, which could be special in a script, of a link',
  (character) => {
    const link = `https://github.com/acme/docs/pull/1x${character}id`;
    const changed = { ...record, prLink: link, source: { repository: link } };
    const { prLink = '', repository = '' } = parseJob(changed, redact) ?? {};
    expect(prLink + repository).not.toContain(character);
  },
);

it('redacts the key everywhere but in the words that end a job', () => {
  expect(parseJob({ ...record, status: `is ${KEY}` }, redact)?.status).toBe('is ***');
  const words = (text: string): string => text.replaceAll(/archived|paused/g, '***');
  expect(parseJob({ ...record, status: 'archived' }, words)?.status).toBe('archived');
  expect(parseJob({ ...record, status: 'paused' }, words)?.status).toBe('***');
  const source = { repository: `https://github.com/${KEY}`, ref: KEY };
  const secret = { model: KEY, createdAt: KEY, source };
  const hidden = parseJob({ ...record, ...secret }, redact);
  expect(hidden).toMatchObject({ id: 'job_1', model: undefined, createdAt: undefined });
  expect(JSON.stringify(hidden)).not.toContain(KEY);
  const nested = { ...record, extra: [{ [KEY]: [`x ${KEY}`, 7, 1.2e21, null, true, -31415926] }] };
  const digits = (text: string): string => redact(text).replaceAll('31415926', '***');
  const { extra } = JSON.parse(parseJob(nested, digits)?.json ?? '');
  expect(extra).toEqual([{ '***': ['x ***', 7, 1.2e21, null, true, '-***'] }]);
});

it('keeps only the documented fields of a reply that is too large or too deep', () => {
  const hide = vi.fn((text: string) => text.replaceAll('job_1', '***'));
  const large = parseJob({ ...record, extra: Array(33_000).fill(0) }, hide);
  const { extra: _, ...documented } = record;
  expect(large?.id).toBe('job_1');
  expect(JSON.parse(large?.json ?? '')).toEqual({ ...documented, id: '***' });
  // Redacting every value would take seconds.
  expect(hide.mock.calls.length).toBeLessThan(100);
  const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
  for (const extra of [deep, '\\'.repeat(10_000), 'ä'.repeat(33_000)]) {
    expect(parseJob({ ...record, extra }, redact)?.json).toBe(JSON.stringify(documented));
  }
  const bare = { id: 'job_1', status: 'x'.repeat(70_000) };
  const { status, json = '' } = parseJob(bare, redact) ?? {};
  expect(JSON.parse(json)).toEqual({ id: 'job_1', status, source: {} });
});

it('isJobId decides which ids are sent and shown', () => {
  const valid =
    'a 0 a.b~c a:b: _ a+b YWJj/ZGVm== a/b %2e%2e ... .a :a a?b a#b ä 📖 $(id) https://a/x';
  expect([...valid.split(' '), 'x'.repeat(256)].filter((id) => !isJobId(id))).toEqual([]);
  const invalid = '. .. ../a a/./b a/.. - -x a::b a##[b a\\b'.split(' ');
  const unseen = [...'\n \u0000\u00a0\u200b\u2028\u034f\ue000', '\ud800'].map((one) => `a${one}b`);
  expect([...invalid, ...unseen, '', 'x'.repeat(257)].filter(isJobId)).toEqual([]);
});
