import { describe, expect, it } from 'vitest';
import { getErrorText } from '../../../src/errors.ts';
import type { GitHubContext } from '../../../src/github/context.ts';
import { readLastRunCommit } from '../../../src/github/last-run.ts';
import { createFakeGitHub, createGitHubContext } from '../fixtures.ts';

const run = (id: number, changes: object = {}) => ({
  id,
  head_sha: `commit of ${id}`,
  head_branch: 'main',
  event: 'push',
  conclusion: 'success',
  ...changes,
});

/** Reads the last run before run 700, from pages of runs. */
async function read(pages: readonly object[][], changes: Partial<GitHubContext> = {}) {
  const paths: string[] = [];
  const api = createFakeGitHub((path) => {
    paths.push(path);
    return { workflow_runs: pages[paths.length - 1] ?? [] };
  });
  const context = createGitHubContext({ runId: 700, ...changes });
  const commit = await readLastRunCommit(api, context).catch(getErrorText);
  return { commit, paths };
}

describe('readLastRunCommit', () => {
  it('asks for successful runs of the workflow for the event and the branch', async () => {
    const { paths } = await read([], { branch: 'a/b&c', eventName: 'schedule' });
    expect(paths).toEqual([
      '/actions/workflows/docs.yml/runs?event=schedule&branch=a%2Fb%26c&status=success&exclude_pull_requests=true&per_page=100&page=1',
      // An index may lack a run that the list without filters has.
      '/actions/workflows/docs.yml/runs?per_page=100',
    ]);
  });

  it.each<[string, object[][], string | undefined]>([
    ['the newest earlier run, in any order', [[run(5), run(701), run(9), run(700)]], '9'],
    ['no run', [[]], undefined],
    ['a run that the filtered list lacks', [[], [run(9)]], '9'],
    ['no later run', [[run(701)]], undefined],
    ['no run for another event', [[run(9, { event: 'schedule' })]], undefined],
    ['no run for another branch', [[run(9, { head_branch: 'topic' })]], undefined],
    ['no run without a branch', [[run(9, { head_branch: null })]], undefined],
    ['no run that failed', [[run(9, { conclusion: 'failure' })]], undefined],
    [
      'a run on the next page',
      [Array.from({ length: 100 }, (_, index) => run(800 + index)), [run(9)]],
      '9',
    ],
  ])('finds %s', async (_, pages, id) => {
    const { commit, paths } = await read(pages);
    expect(commit).toBe(id && `commit of ${id}`);
    expect(paths).toHaveLength(pages.length + (id === undefined ? 1 : 0));
  });

  it('reads at most eleven pages', async () => {
    const full = Array.from({ length: 100 }, (_, index) => run(800 + index));
    const { commit, paths } = await read(Array(12).fill(full));
    expect([commit, paths.length]).toEqual([undefined, 11]);
  });

  // Without them, every run would be the first one, and be skipped.
  it.each<[Partial<GitHubContext>, string]>([
    [{ workflow: undefined }, 'GITHUB_WORKFLOW_REF names no workflow file of this repository'],
    [{ runId: undefined }, 'GITHUB_RUN_ID is not set'],
  ])('rejects a run with %o', async (changes, reason) => {
    expect(await read([[run(9)]], changes)).toEqual({ commit: reason, paths: [] });
  });
});
