import { expect, it } from 'vitest';
import { INPUT_NAMES } from '../../../src/inputs/read-inputs.ts';
import { findUnknownInputs } from '../../../src/inputs/unknown-inputs.ts';

function find(...names: string[]) {
  const env = Object.fromEntries(names.map((name) => [`INPUT_${name.toUpperCase()}`, 'x']));
  return findUnknownInputs({ ...env, PATH: 'x', XINPUT_WAIT: 'x' }, INPUT_NAMES);
}

it('findUnknownInputs knows every input of the action', () => {
  expect(find(...INPUT_NAMES)).toEqual([]);
});

it.each([
  // Equal without separators.
  ['dryrun dry_run dry.run-', 'dry-run'],
  // One begins with the other at the end of a word.
  ['timeout timeout-minutes-max', 'timeout-minutes'],
  ['wait-for-job wait_for', 'wait'],
  ['poll-interval poll_interval poll', 'poll-interval-seconds'],
  ['prompt-file-path', 'prompt prompt-file'],
  // Equal but for a plural.
  ['path paths-ignore', 'paths'],
  ['prompts', 'prompt'],
])('for each of %j, findUnknownInputs suggests %j', (names, meant) => {
  for (const name of names.split(' ')) {
    expect(find(name)).toEqual([{ name, meant: meant.split(' ') }]);
  }
});

it('findUnknownInputs ignores names that wrapper actions leave in the environment', () => {
  const names = 'token tag environment cache-key branch key url id path-filter waitress pathway';
  expect(find(...names.split(' '), 'url-base', 'file', 'context', 'minutes', '-', '')).toEqual([]);
});
