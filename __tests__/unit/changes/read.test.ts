import { describe, expect, it } from 'vitest';
import { readChangesIfNeeded } from '../../../src/changes/decide.ts';
import { composePrompt } from '../../../src/changes/facts.ts';
import type { OpenGitHub } from '../../../src/github/api.ts';
import { parsePaths } from '../../../src/inputs/parsers.ts';
import type { Inputs } from '../../../src/inputs/read-inputs.ts';
import type { RunEvent } from '../../../src/state/events.ts';
import type { Run } from '../../../src/state/run-state.ts';
import {
  createFakeGitHub,
  createGitHubContext,
  createInputs,
  createWorld,
  MINUTE,
} from '../fixtures.ts';

const toFile = (filename: string) => ({
  filename,
  status: 'modified',
  additions: 1,
  deletions: 1,
});
const comparison = {
  status: 'ahead',
  total_commits: 1,
  behind_by: 0,
  commits: [{ sha: 'c', commit: { message: 'Change both' } }],
  files: [toFile('src/a.ts'), toFile('docs/b.md')],
};
const paths = parsePaths('docs/**');
const all = { paths, includeChanges: true };

/**
 * Reads the changes before v1.1.0, and composes the prompt. If `compare` is undefined, GitHub
 * refuses the comparison.
 */
async function compose(
  changes: Partial<Inputs>,
  compare: object | undefined,
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
  const answers: Record<string, unknown> = { git, compare, releases };
  const openGitHub: OpenGitHub = (given) => {
    limits.push(given);
    return createFakeGitHub((path) => answers[path.split('/')[1] ?? '']);
  };
  const inputs = createInputs({ tag: 'v1.1.0', ...changes });
  const github = createGitHubContext({ eventTag: inputs.tag });
  const emit = ({ kind }: RunEvent): void => void warnings.push(kind);
  const run = { ...timing, github, openGitHub, redact: String, emit } as unknown as Run;
  const reading = await readChangesIfNeeded(inputs, run);
  const prompt = composePrompt('Write it', reading, inputs, run);
  return { prompt, warnings, limits, cancel: timing.cancel };
}

const facts = /^Write it\n\n---\nFacts about what changed\. [\s\S]*\nChanged files: 2\n/;
const selected = /\nChanged files in the selected paths: 1\n- modified docs\/b\.md \+1 -1\n/;
const plain = /^Write it$/;

describe('composePrompt', () => {
  it.each<[string, Partial<Inputs>, RegExp]>([
    ['nothing', {}, plain],
    ['facts', { includeChanges: true }, facts],
    ['facts about the selected files', all, selected],
    ['nothing for `paths` alone', { paths }, plain],
  ])('appends %s', async (_, changes, text) => {
    const { prompt, warnings } = await compose(changes, comparison);
    expect(prompt).toMatch(text);
    expect(warnings).toEqual([]);
  });

  it('warns about facts that could not be read', async () => {
    const { warnings } = await compose({ includeChanges: true }, undefined);
    expect(warnings).toEqual(['missing-facts']);
  });

  it('takes a missing release for one without notes if its tag exists', async () => {
    const { prompt, warnings } = await compose({ includeChanges: true }, comparison, {
      hasNotes: false,
    });
    expect([warnings, prompt]).toEqual([[], expect.stringContaining('\nRelease notes: none\n')]);
  });

  it('takes at most 20 seconds, and at most half of the remaining time', async () => {
    const short = await compose({ paths }, comparison, { timeoutMs: 10_000 });
    const long = await compose({ paths }, comparison, { timeoutMs: MINUTE });
    expect([short.limits, long.limits]).toEqual([
      [{ timeoutMs: 5_000, signal: short.cancel }],
      [{ timeoutMs: 20_000, signal: long.cancel }],
    ]);
  });
});
