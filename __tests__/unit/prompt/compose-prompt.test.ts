import { describe, expect, it } from 'vitest';
import type { OpenGitHub } from '../../../src/github/api.ts';
import { parsePaths } from '../../../src/inputs/parsers.ts';
import type { Inputs } from '../../../src/inputs/read-inputs.ts';
import { composePrompt } from '../../../src/prompt/compose-prompt.ts';
import { decideByPaths } from '../../../src/prompt/paths.ts';
import { readReleaseIfNeeded } from '../../../src/prompt/read-release.ts';
import type { RunEvent } from '../../../src/state/events.ts';
import type { Run } from '../../../src/state/run.ts';
import {
  createFakeGitHub,
  createGitHubContext,
  createInputs,
  createWorld,
  MINUTE,
} from '../fixtures.ts';

const toFiles = (...names: string[]) =>
  names.map((filename) => ({ filename, status: 'modified', additions: 1, deletions: 1 }));
const whole = {
  total_commits: 0,
  behind_by: 0,
  commits: [],
  files: toFiles('src/a.ts', 'docs/b.md'),
};
const without = { ...whole, files: toFiles('src/a.ts') };
const many = { ...whole, files: toFiles(...Array.from({ length: 300 }, () => 'src/a.ts')) };
const oldName = { previous_filename: 'docs/a.md', status: 'renamed' };
const renamed = { ...whole, files: [{ ...without.files[0], ...oldName }] };
const diverged = { ...without, behind_by: 1 };
const paths = parsePaths('docs/**');
const all = { paths, releaseContext: true };

/**
 * Reads release v1.1.0, decides by its paths, and composes the prompt. If `comparison` is
 * undefined, GitHub refuses the comparison.
 */
async function compose(
  changes: Partial<Inputs>,
  comparison: object | undefined,
  { timeoutMs = MINUTE, hasNotes = true } = {},
) {
  const { timing } = createWorld({ timeoutMs });
  const warnings: RunEvent['kind'][] = [];
  const limits: unknown[] = [];
  const git = ['v1.0.0', 'v1.1.0'].map((tag) => ({
    ref: tag,
    object: { type: 'commit', sha: tag },
  }));
  const releases = hasNotes ? { body: 'Notes' } : undefined;
  const answers: Record<string, unknown> = { git, compare: comparison, releases };
  const openGitHub: OpenGitHub = (given) => {
    limits.push(given);
    return createFakeGitHub((path) => answers[path.split('/')[1] ?? '']);
  };
  const inputs = createInputs({ tag: 'v1.1.0', ...changes });
  const github = createGitHubContext({ eventTag: inputs.tag });
  const emit = ({ kind }: RunEvent): void => void warnings.push(kind);
  const run = { ...timing, github, openGitHub, redact: String, emit } as unknown as Run;
  const release = await readReleaseIfNeeded(inputs, run);
  const decision = release && inputs.paths && decideByPaths(release, inputs.paths);
  const prompt = composePrompt('Write it', release, inputs, run);
  return { prompt, decision, warnings, limits, cancel: timing.cancel };
}

const facts = /^Write it\n\n---\nFacts about the release\. [\s\S]*\nChanged files: 2\n/;
const selected = /\nChanged files in the selected paths: 1\n- modified docs\/b\.md \+1 -1\n/;
const plain = /^Write it$/;
const skip = { kind: 'skip', previousTag: 'v1.0.0', files: 1 };
const unread = { kind: 'unread', reason: 'HTTP 404', isRefused: true };

function match(file: string): object {
  return { kind: 'match', previousTag: 'v1.0.0', file };
}

function ignore(reason: string): object {
  return { kind: 'ignore', reason };
}

describe('composePrompt', () => {
  it.each<[string, Partial<Inputs>, object | undefined, RegExp, object | undefined]>([
    ['a plain prompt', {}, whole, plain, undefined],
    ['release facts', { releaseContext: true }, whole, facts, undefined],
    ['facts about the selected files', all, whole, selected, match('docs/b.md')],
    ['a file that matches', { paths }, whole, plain, match('docs/b.md')],
    ['an old name that matches', { paths }, renamed, plain, match('src/a.ts')],
    ['no matching file', { paths }, without, plain, skip],
    [
      'too many files',
      { paths },
      many,
      plain,
      ignore('GitHub lists no more than 300 changed files'),
    ],
    [
      'the first release',
      { paths, tag: 'v1.0.0' },
      without,
      plain,
      ignore('no earlier release has this prefix'),
    ],
    [
      'tags that diverged',
      { paths },
      diverged,
      plain,
      ignore('v1.0.0 is not an ancestor of v1.1.0'),
    ],
    ['a refused comparison', { paths }, undefined, plain, unread],
  ])('handles %s', async (_, changes, comparison, text, expected) => {
    const { prompt, decision, warnings } = await compose(changes, comparison);
    expect(prompt).toMatch(text);
    expect(decision).toEqual(expected);
    expect(warnings).toEqual([]);
  });

  it('warns about facts that could not be read', async () => {
    const { warnings } = await compose({ releaseContext: true }, undefined);
    expect(warnings).toEqual(['missing-facts']);
  });

  it('takes a missing release for one without notes if its tag exists', async () => {
    const { prompt, warnings } = await compose({ releaseContext: true }, whole, {
      hasNotes: false,
    });
    expect([warnings, prompt]).toEqual([[], expect.stringContaining('\nRelease notes: none\n')]);
  });

  it('takes at most 20 seconds, and at most half of the remaining time', async () => {
    const short = await compose({ paths }, whole, { timeoutMs: 10_000 });
    const long = await compose({ paths }, whole, { timeoutMs: MINUTE });
    expect([short.limits, long.limits]).toEqual([
      [{ timeoutMs: 5_000, signal: short.cancel }],
      [{ timeoutMs: 20_000, signal: long.cancel }],
    ]);
  });
});
