import { describe, expect, it } from 'vitest';
import type { OpenGitHub } from '../../../src/github/api.ts';
import { parsePaths } from '../../../src/inputs/parsers.ts';
import type { Inputs } from '../../../src/inputs/read-inputs.ts';
import { composePrompt } from '../../../src/prompt/compose-prompt.ts';
import { describePaths } from '../../../src/report/log.ts';
import type { RunEvent } from '../../../src/state/events.ts';
import type { Run } from '../../../src/state/run.ts';
import { RunTracker } from '../../../src/state/run-state.ts';
import { toPlainText } from '../../../src/text/message.ts';
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
 * Composes the prompt for release v1.1.0. If `comparison` is undefined, GitHub refuses the
 * comparison.
 */
async function compose(
  changes: Partial<Inputs>,
  comparison: object | undefined,
  { timeoutMs = MINUTE, hasNotes = true } = {},
) {
  const { timing } = createWorld({ timeoutMs });
  const told: string[] = [];
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
  const emit = (event: RunEvent): void => {
    if (event.kind === 'paths') {
      const { decision } = event;
      told.push(decision.kind === 'unread' ? ignored : toPlainText(describePaths(decision)));
    } else if (event.kind === 'missing-facts') {
      told.push(incomplete);
    }
  };
  const inputs = createInputs({ tag: 'v1.1.0', ...changes });
  const github = createGitHubContext({ eventTag: inputs.tag });
  const parts = {
    ...timing,
    github,
    openGitHub,
    redact: String,
    tracker: new RunTracker(timing.clock),
    emit,
  } as unknown as Run;
  const prompt = await composePrompt('Write it', inputs, parts).catch(({ outcome }) => outcome);
  return { prompt, told, limits, cancel: timing.cancel };
}

const skipped = { result: 'skipped', previousTag: 'v1.0.0', files: 1 };
const ignored = 'paths are ignored';
const incomplete = 'release facts are missing';
const facts = /^Write it\n\n---\nFacts about the release\. [\s\S]*\nChanged files: 2\n/;
const selected = /\nChanged files in the selected paths: 1\n- modified docs\/b\.md \+1 -1\n/;

describe('composePrompt', () => {
  it.each<[string, Partial<Inputs>, object | undefined, unknown, string[]]>([
    ['a plain prompt', {}, whole, 'Write it', []],
    ['release facts', { releaseContext: true }, whole, facts, []],
    ['facts about the selected files', all, whole, selected, ['docs/b.md has']],
    ['a file that matches', { paths }, whole, 'Write it', ['docs/b.md has changed since v1.0.0']],
    ['an old name that matches', { paths }, renamed, 'Write it', ['a.ts has']],
    ['no matching file', { paths }, without, skipped, []],
    ['no matching file in a dry run', { paths, dryRun: true }, without, 'Write it', ['skipped']],
    ['too many files', { paths }, many, 'Write it', ['300']],
    [
      'the first release',
      { paths, tag: 'v1.0.0' },
      without,
      'Write it',
      ['no earlier release has'],
    ],
    ['tags that diverged', { paths }, diverged, 'Write it', ['v1.0.0 is not an ancestor of']],
    ['a refused comparison', { paths }, undefined, 'Write it', [ignored]],
  ])('handles %s', async (_, changes, comparison, expected, notes) => {
    const { prompt, told } = await compose(changes, comparison);
    expect(prompt).toEqual(expected instanceof RegExp ? expect.stringMatching(expected) : expected);
    expect(told).toEqual(notes.map((note) => expect.stringContaining(note)));
  });

  it('takes a missing release for one without notes if its tag exists', async () => {
    const { prompt, told } = await compose({ releaseContext: true }, whole, { hasNotes: false });
    expect([told, prompt]).toEqual([[], expect.stringContaining('\nRelease notes: none\n')]);
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
