import { describe, expect, it } from 'vitest';
import { type GitHubApi, GitHubError } from '../../../src/github/api.ts';
import { type Entry, getFingerprint, readClaims, writeStatus } from '../../../src/plan/status.ts';
import * as z from '../../../src/text/schema.ts';

const SHA = 'c0ffee'.padEnd(40, '0');
const PAGE = 'https://github.com/acme/app/actions/runs/7/attempts/2';
const job = { baseUrl: new URL('https://api.example.com'), projectId: 'docs', prompt: 'Write it', tag: 'v1' };
const FINGERPRINT = getFingerprint(job);
const starting: Entry = { claim: 'a'.repeat(16), runId: 7, attempt: 2, state: 'starting', jobId: undefined };
const started: Entry = { ...starting, state: 'job', jobId: 'job_1' };

interface Posted {
  readonly state: string;
  readonly context: string;
  readonly description: string;
  readonly target_url: string | null;
}

/** Returns the body that is posted for an entry. */
async function post(entry: Entry, words = 'Words', page = PAGE): Promise<Posted> {
  const posted: Posted[] = [];
  const api: GitHubApi = {
    read: () => Promise.reject(new Error('nothing is read')),
    write: async (path, body) => {
      expect(path).toBe(`/statuses/${SHA}`);
      posted.push(body as Posted);
    },
  };
  await writeStatus(api, SHA, FINGERPRINT, entry, words, page);
  expect(posted).toHaveLength(1);
  return posted[0] as Posted;
}

/** Reads the claims from a list in this order. */
function read(list: readonly { readonly id: number; readonly target_url?: string | null }[], pageSize = 100) {
  const paths: string[] = [];
  const api: GitHubApi = {
    read: async (schema, path) => {
      paths.push(path);
      const page = Number(/^\/commits\/c0ffee0+\/statuses\?per_page=100&page=(\d+)$/.exec(path)?.[1]);
      const { data, error } = z.safeParse(schema, list.slice((page - 1) * pageSize, page * pageSize));
      if (error !== undefined) throw error;
      return data;
    },
    write: () => Promise.reject(new Error('nothing is written')),
  };
  return { claims: readClaims(api, SHA, FINGERPRINT), paths };
}

const toLink = async (entry: Entry): Promise<string> => (await post(entry)).target_url ?? '';
const noise = (count: number) => Array.from({ length: count }, (_, index) => ({ id: 1_000 + index }));

describe('a status', () => {
  it('has words for people and a link to the page of the attempt', async () => {
    expect(await post(started, 'Agent job job_1 started')).toEqual({
      state: 'success',
      context: `Docs agent job (${FINGERPRINT.slice(0, 8)})`,
      description: 'Agent job job_1 started',
      target_url: `${PAGE}#docs-agent-job=v1&fingerprint=${FINGERPRINT}&claim=aaaaaaaaaaaaaaaa&run=7&attempt=2&state=job&id=job_1`,
    });
  });

  it('stays within 140 characters, and keeps a long id in the link', async () => {
    const jobId = 'j'.repeat(128);
    const { description, target_url } = await post(
      { ...started, jobId },
      `Agent job ${jobId} started by run 7, attempt 2`,
    );
    expect(description).toMatch(/^Agent job j{100}/);
    expect(description.length).toBeLessThanOrEqual(140);
    expect(await read([{ id: 5, target_url }]).claims).toEqual([{ ...started, jobId, order: 5 }]);
  });

  it.each<Entry>([starting, started, { ...starting, state: 'unknown' }, { ...starting, state: 'released' }])(
    'is read as it was written: $state',
    async (entry) => {
      expect(await read([{ id: 5, target_url: await toLink(entry) }]).claims).toEqual([
        { ...entry, order: 5 },
      ]);
    },
  );

  it('is read from the link of a pull request that has a query', async () => {
    const { target_url } = await post(
      { ...started, jobId: 'a~b:c' },
      'Words',
      'https://forge.example/pull/1?tab=2',
    );
    expect(await read([{ id: 5, target_url }]).claims).toMatchObject([{ jobId: 'a~b:c' }]);
  });

  it.each([
    ['another version', 'job=v1', 'job=v2'],
    ['another fingerprint', `fingerprint=${FINGERPRINT}`, `fingerprint=${'0'.repeat(32)}`],
    ['no fingerprint', 'fingerprint=', 'finger='],
    ['run 0', 'run=7', 'run=0'],
    ['a run with a sign', 'run=7', 'run=-7'],
    ['a run too large', 'run=7', 'run=1234567890123456'],
    ['an attempt in words', 'attempt=2', 'attempt=two'],
    ['attempt 0', 'attempt=2', 'attempt=0'],
    ['a short claim', 'claim=a', 'claim='],
    ['an unknown state', 'state=job', 'state=done'],
    ['an id without the state', 'state=job', 'state=starting'],
    ['the state without an id', '&id=job_1', ''],
    ['an id that is no path segment', 'id=job_1', 'id=..%2Fjob'],
    ['no fragment', '#', '?'],
  ])('is ignored with %s', async (_, from, to) => {
    const link = await toLink(started);
    expect(link).toContain(from);
    expect(await read([{ id: 5, target_url: link.replace(from, to) }]).claims).toEqual([]);
  });
});

describe('a list of statuses', () => {
  it('has one claim for several statuses: the first id, and the newest entry, but never less than a job', async () => {
    const other: Entry = { ...starting, claim: 'b'.repeat(16), runId: 8 };
    const entries = [
      starting,
      other,
      { ...other, state: 'released' },
      started,
      { ...starting, state: 'unknown' },
    ] as const;
    const links = await Promise.all(entries.map(toLink));
    const list = links.map((target_url, index) => ({ id: index + 1, target_url }));
    const claims = [
      { ...other, state: 'released', order: 2 },
      { ...started, order: 1 },
    ];
    // GitHub lists the newest first. The order of Gitea is not strict.
    expect(await read(list.toReversed()).claims).toEqual(claims);
    expect(await read([3, 0, 4, 1, 2].flatMap((index) => list[index] ?? [])).claims).toEqual(claims);
  });

  it.each([100, 50])(
    'is read to its end in pages of %i, with statuses of others and without links',
    async (size) => {
      const own = [
        { id: 3, target_url: await toLink(started) },
        { id: 2, target_url: null },
        { id: 1, target_url: 'x' },
      ];
      const { claims, paths } = read([...noise(2 * size), ...own], size);
      expect(await claims).toEqual([{ ...started, order: 3 }]);
      expect(paths).toHaveLength(3);
    },
  );

  it('is refused if it is too long, because a claim may be missing', async () => {
    await expect(read(noise(1_001)).claims).rejects.toThrow(GitHubError);
  });
});

describe('a fingerprint', () => {
  it('differs for another address, project, prompt, or tag, and for none', () => {
    const others = [
      { baseUrl: new URL('https://b.example') },
      { projectId: 'b' },
      { prompt: 'b' },
      { tag: 'b' },
      { tag: undefined },
    ];
    const all = [job, ...others.map((change) => ({ ...job, ...change }))].map(getFingerprint);
    expect(new Set(all).size).toBe(6);
    expect(all.every((fingerprint) => /^[0-9a-f]{32}$/.test(fingerprint))).toBe(true);
  });
});
