import { expect, it } from 'vitest';
import { INPUT_NAMES } from '../../../src/inputs/read-inputs.ts';
import { findUnknownInputs } from '../../../src/inputs/unknown-inputs.ts';

function find(...names: string[]) {
  const env = Object.fromEntries(names.map((name) => [`INPUT_${name.toUpperCase()}`, 'x']));
  return findUnknownInputs({ ...env, PATH: 'x', XINPUT_WAIT: 'x' }, INPUT_NAMES);
}

it('knows every input of the action', () => {
  expect(find(...INPUT_NAMES)).toEqual([]);
});

it.each([
  ['dryrun', 'dry-run'],
  ['dry_run', 'dry-run'],
  ['dri-run', 'dry-run'],
  ['apikey', 'api-key'],
  ['api-keys', 'api-key'],
  ['promt', 'prompt'],
  ['prompts', 'prompt'],
  ['prompt-files', 'prompt-file'],
  ['prmopt-file', 'prompt-file'],
  ['timeout-minute', 'timeout-minutes'],
  ['timeout-mintues', 'timeout-minutes'],
  ['projectid', 'project-id'],
  ['jobid', 'job-id'],
  ['path', undefined],
  ['timeout', undefined],
  ['project', undefined],
  ['waits', undefined],
  ['ways', undefined],
  ['prmopt', undefined],
  ['url-base', undefined],
  ['poll', undefined],
  ['key', undefined],
  ['token', undefined],
  ['branch', undefined],
  ['', undefined],
])('takes "%s" for a misspelling of %s', (name, meant) => {
  expect(find(name, 'prompt')).toEqual([{ name, meant }]);
});

it('lists several in the order in which they are given', () => {
  expect(find('model', 'dryrun').map(({ name }) => name)).toEqual(['model', 'dryrun']);
});
