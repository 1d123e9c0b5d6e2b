import { describe, expect, it } from 'vitest';
import type { Fault } from '../github/faults.ts';
import { toSha } from '../github/payloads.ts';
import type { RepositoryTag } from '../github/repository.ts';
import { eventually } from '../helpers/eventually.ts';
import { broken, commits, PROMPT, setUp, TOKEN, tagPush } from '../helpers/github.ts';
import { BUSY_MS, endBy } from './scenario.ts';

const history = commits(6);
const head = history.at(-1)?.sha ?? '';

function tag(name: string, index: number, isAnnotated = false): RepositoryTag {
  return { name, sha: history[index]?.sha ?? '', isAnnotated };
}

const tags = [
  ...Array.from({ length: 250 }, (_, index) => tag(`v0.0.${index}`, 0)),
  tag('v1.0.0', 0),
  tag('v1.1.0', 2, true),
  tag('v1.2.0-rc.1', 4),
  tag('v1.2.0', 5, true),
  tag('pkg@0.1.0', 1),
  tag('nightly', 5),
];
const world = { commits: history, tags, releases: { 'v1.2.0': 'A gauge.\n\n* by @octocat' } };
const wanted = { 'release-context': 'true', wait: 'false' };

describe.concurrent('release-context', () => {
  it('adds the facts about a pushed tag to the prompt, the log, and the summary', async () => {
    const { finish, prompts, github } = await setUp(world);
    const result = await finish(wanted, tagPush('v1.2.0'));
    const [prompt = ''] = prompts();
    expect(prompt.startsWith(`${PROMPT}\n\n---\nFacts about the release`)).toBe(true);
    expect(prompt).toContain(
      [
        'Repository: acme/widgets (https://github.com/acme/widgets)',
        'Tag: v1.2.0',
        `Commit: ${head}`,
        'Previous tag: v1.1.0',
        'Compare: https://github.com/acme/widgets/compare/v1.1.0...v1.2.0',
        '',
        'Commits since the previous tag, newest first: 3',
        `- ${toSha('commit 5').slice(0, 10)} Change number 5 (@octocat)`,
        `- ${toSha('commit 4').slice(0, 10)} Change number 4 (@octocat)`,
        `- ${toSha('commit 3').slice(0, 10)} Change number 3 (@octocat)`,
        '',
        'Changed files: 3',
        '- modified src/file-3.ts +2 -1',
        '- modified src/file-4.ts +2 -1',
        '- modified src/file-5.ts +2 -1',
        '',
        'Release notes:',
        '> A gauge.',
        '>',
        '> * by @octocat',
      ].join('\n'),
    );
    expect(result.outputs['outcome']).toBe('started');
    expect(result.stdout).toContain('Previous tag: v1.1.0');
    expect(result.summary).toContain('Previous tag: v1.1.0');
    expect(github.count(/compare/)).toBe(1);
  });

  it('adds the facts about the tag of a release event, or about `release-tag`, to a follow-up', async () => {
    const { finish, prompts, emulator, github } = await setUp(world);
    emulator.addJob('quick', 'job_1');
    const event = { name: 'release', payload: { release: { tag_name: 'v1.1.0' } } };
    await finish({ ...wanted, 'job-id': 'job_1' }, { event });
    expect(prompts()[0]).toContain('Tag: v1.1.0\n');
    expect(prompts()[0]).toContain('Previous tag: v1.0.0\n');
    const inputs = { ...wanted, 'job-id': 'job_1', 'release-tag': 'refs/tags/v1.2.0-rc.1' };
    await finish(inputs, tagPush('v1.1.0'));
    expect(prompts()[1]).toContain('Tag: v1.2.0-rc.1\n');
    expect(prompts()[1]).toContain('Previous tag: v1.1.0\n');
    expect(emulator.counts()).toMatchObject({ creates: 0, followUps: 2 });
    expect(github.count(/\/statuses\//, 'POST')).toBe(0);
  });

  it('lists the newest of 900 commits and the first 300 of their files', async () => {
    const long = commits(901);
    const ends = [0, 900].map((index) => ({ name: `v1.${index}.0`, sha: long[index]?.sha ?? '' }));
    const { finish, prompts, github } = await setUp({ commits: long, tags: ends });
    await finish(wanted, tagPush('v1.900.0'));
    const [prompt = ''] = prompts();
    const listed = [...prompt.matchAll(/^- [0-9a-f]{10} Change number (\d+) /gm)].map(
      ([, number]) => Number(number),
    );
    expect(listed.slice(0, 3)).toEqual([900, 899, 898]);
    expect(listed).toEqual(listed.toSorted((a, b) => b - a));
    expect(prompt).toContain('newest first: 900\n');
    expect(prompt).toContain(`- and ${900 - listed.length} more\n`);
    expect(prompt).toContain('Changed files: 300 or more\n');
    expect(prompt.length).toBeLessThanOrEqual(20_000 + PROMPT.length + 10);
    expect(github.count(/compare/)).toBe(1);
  });
});

describe.concurrent("release-context, when some facts can't be read", () => {
  it.each<[string, Fault, string]>([
    [
      'GitHub refuses and quotes the token',
      { kind: 'error', status: 403, message: TOKEN.repeat(20) },
      'files, release notes (HTTP 403: ***',
    ],
    [
      'GitHub answers with another record',
      { kind: 'written', body: '{"0":null}' },
      'files, release notes (',
    ],
  ])('sends only the tag of the release and says so once when %s', async (_, fault, reason) => {
    const { finish, prompts } = await setUp(world, broken(fault));
    const { exitCode, stdout, annotations } = await finish(wanted, tagPush('v1.2.0'));
    expect(exitCode).toBe(0);
    const facts = 'Repository: acme/widgets (https://github.com/acme/widgets)\nTag: v1.2.0\n</';
    expect(prompts()[0]).toContain(facts);
    expect(annotations.warnings).toEqual([expect.stringContaining(reason)]);
    expect(stdout.replaceAll(`::add-mask::${TOKEN}`, '')).not.toContain(TOKEN.slice(0, 8));
  });

  it('starts the job without a token, and ignores `paths`', async () => {
    const { finish, prompts, github } = await setUp(world);
    const inputs = { ...wanted, paths: 'x', 'github-token': '' };
    const { annotations } = await finish(inputs, tagPush('v1.2.0'));
    expect(annotations.warnings).toEqual([
      expect.stringContaining("couldn't be read ('github-token' is empty), so `paths` is ignored."),
      expect.stringContaining("files, release notes ('github-token' is empty)"),
    ]);
    expect(prompts()).toHaveLength(1);
    expect(github.requests).toEqual([]);
  });

  it('spends at most half of its time on a silent API', async () => {
    const { finish, emulator } = await setUp(world, broken({ kind: 'slow', delayMs: 60_000 }));
    const inputs = { ...wanted, 'timeout-minutes': '0.1' };
    const result = await finish(inputs, { ...tagPush('v1.2.0'), timeScale: 1 });
    expect(result.outputs['outcome']).toBe('started');
    expect(result.durationMs).toBeLessThan(6_000 + BUSY_MS);
    expect(emulator.counts().creates).toBe(1);
  });

  it('ends at once and starts no job when the step is canceled', async () => {
    const { start, emulator, github } = await setUp(
      world,
      broken({ kind: 'slow', delayMs: 60_000 }),
    );
    const action = start(wanted, { ...tagPush('v1.2.0'), timeScale: 0.1 });
    await eventually(() => expect(github.requests.length).toBeGreaterThan(0));
    expect(await endBy(action, 'SIGINT')).toBeLessThan(BUSY_MS);
    const result = await action.ended;
    expect(result.outputs['outcome']).toBe('cancelled');
    expect(result.summary).toContain('This run started no job');
    expect(emulator.requests).toEqual([]);
  });
});
