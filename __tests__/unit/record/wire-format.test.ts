import { expect, it } from 'vitest';
import type { GitHubApi } from '../../../src/github/api.ts';
import {
  type Entry,
  type Mark,
  parseEntry,
  readRecord,
  writeEntry,
} from '../../../src/record/wire-format.ts';
import { createFakeGitHub } from '../fixtures.ts';

const SHA = 'c0ffee'.padEnd(40, '0');
const PAGE = 'https://github.com/acme/app/actions/runs/7/attempts/2';
const FINGERPRINT = 'f1'.repeat(16);
const CONTEXT = `Docs agent job (${FINGERPRINT.slice(0, 8)})`;
const starting: Entry = {
  fingerprint: FINGERPRINT,
  nonce: 'a'.repeat(16),
  runId: 7,
  attempt: 2,
  scope: 'rerun',
  state: 'starting',
};
const started: Entry = { ...starting, state: 'job', jobId: 'job_1' };
const LINK = `${PAGE}#docs-agent-job=v7&fingerprint=${FINGERPRINT}&nonce=aaaaaaaaaaaaaaaa&runId=7&attempt=2&scope=rerun&state=job&jobId=job_1`;

async function post(entry: Entry | Mark, words = 'Words', page = PAGE) {
  let posted: unknown;
  const write: GitHubApi['write'] = async (path, body) => {
    posted = { path, ...body };
  };
  await writeEntry({ ...createFakeGitHub(() => undefined), write }, SHA, entry, words, page);
  return posted as { readonly description: string; readonly target_url: string };
}

async function read(list: readonly object[], pageSize = 100) {
  let pages = 0;
  const api = createFakeGitHub((path) => {
    pages += 1;
    expect(path).toBe(`/commits/${SHA}/statuses?per_page=100&page=${pages}`);
    return list.slice((pages - 1) * pageSize, pages * pageSize);
  });
  return { entries: (await readRecord(api, SHA)).entries, pages };
}

const readLink = async (target_url: string) => (await read([{ id: 5, target_url }])).entries;
const noise = Array.from({ length: 200 }, (_, index) => ({ id: 1_000 + index }));
const listed = { id: 3, target_url: LINK };

it('a status has words for people, and its entry in the fragment of its link', async () => {
  const status = { state: 'success', context: CONTEXT, description: 'Words', target_url: LINK };
  // What the rule adds to a claim is not part of it.
  const known = { id: 3, atMs: 7 };
  expect(await post({ ...started, ...known })).toEqual({ path: `/statuses/${SHA}`, ...status });
});

it('a status of a mark, or of a claim in a series, has all of its entry', async () => {
  const series = 'e5'.repeat(16);
  const own = { fingerprint: FINGERPRINT, runId: 7, series, state: 'mark' } as const;
  const paths = 'f6'.repeat(16);
  const mark = { ...own, paths, jobId: 'job_1', since: SHA };
  const begun = { since: SHA, guess: 'yes' } as const;
  const claim = { ...started, series, paths };
  for (const entry of [mark, own, claim, { ...mark, ...begun }, { ...claim, ...begun }]) {
    expect(parseEntry((await post(entry)).target_url)).toEqual(entry);
  }
  const { target_url } = await post(mark);
  expect(parseEntry(target_url.replace(`&series=${series}`, ''))).toBeUndefined();
});

it('a status names the scope of the claim, and the job before it', async () => {
  const entry: Entry = { ...starting, scope: 'release', after: 'b'.repeat(16) };
  const { target_url } = await post(entry);
  expect(target_url).toContain('&scope=release&state=starting&after=bbbbbbbbbbbbbbbb');
  expect(await readLink(target_url)).toEqual([{ ...entry, id: 5 }]);
});

const longId = `${'j'.repeat(126)}~:`;
it.each([
  ['a long id', longId, `Agent job ${longId} started`, /^Agent job j{100}.{1,30}$/],
  ['a character of four bytes', 'ä📖', 'Agent job ä📖 started', /^Agent job ä\? started$/],
])(
  'a status with %s is short for people, and in full in the link',
  async (_, jobId, words, shown) => {
    const entry = { ...started, jobId };
    const posted = await post(entry, words, 'https://forge.example/pull/1?tab=2');
    expect(posted.description).toMatch(shown);
    expect(await readLink(posted.target_url)).toEqual([{ ...entry, id: 5 }]);
  },
);

it.each([
  ['job=v7', 'job=v6'],
  [FINGERPRINT, 'f'.repeat(31)],
  ['runId=7', 'runId=0'],
  ['nonce=a', 'nonce='],
  ['&scope=rerun', ''],
  ['scope=rerun', 'scope=rerun&after=7'],
  ['state=job', 'state=unknown'],
  ['&jobId=job_1', ''],
  ['state=job', 'state=released'],
  ['jobId=job_1', 'jobId=..%2Fjob'],
])('a status is ignored with %s replaced by "%s"', async (from, to) => {
  expect(await readLink(LINK)).toHaveLength(1);
  expect(await readLink(LINK.replace(from, to))).toEqual([]);
});

it('a list of statuses says when GitHub took a status', async () => {
  const created_at = '2026-11-24T02:14:07Z';
  const { entries } = await read([{ id: 3, target_url: LINK, created_at }]);
  expect(entries).toMatchObject([{ id: 3, atMs: Date.parse(created_at) }]);
});

it.each([100, 50])('a list of statuses is read to its end, with %i on a page', async (size) => {
  const none = ['x', null].map((target_url, id) => ({ id, target_url }));
  const { entries, pages } = await read([...noise.slice(-2 * size), ...none, listed], size);
  expect([entries.length, pages]).toEqual([1, 3]);
});

const page = noise.slice(100);
it.each([
  ['an empty page after a full one is looked at again', [page, [], [listed]], 1],
  ['a host that returns the same page for ever', [page, page], 0],
])('a list of statuses is believed when it proves itself: %s', async (_, answers, count) => {
  let reads = 0;
  const api = createFakeGitHub(() => answers[reads++] ?? []);
  expect((await readRecord(api, SHA)).entries).toHaveLength(count);
  expect(reads).toBe(answers.length);
});
