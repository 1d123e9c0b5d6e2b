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

it.each<[string | undefined, readonly string[]]>([
  ['dry-run', ['dryrun', 'dry_run', 'dri-run']],
  ['api-key', ['apikey', 'api-keys']],
  ['base-url', ['basurl']],
  ['prompt', ['promt', 'prompts']],
  ['prompt-file', ['prompt-files', 'prmopt-file']],
  ['timeout-minutes', ['timeout-minute', 'timeout-mintues']],
  ['project-id', ['projectid']],
  ['job-id', ['jobid']],
  [undefined, ['path', 'timeout', 'project', 'waits', 'ways', 'prmopt', 'url-base', 'poll']],
  [undefined, ['key', 'token', 'branch', '']],
])('takes for a misspelling of %s: %o', (meant, names) => {
  const found = names.flatMap((name) => find(name, 'prompt'));
  expect(found).toEqual(names.map((name) => ({ name, meant })));
});

it('lists several in the order in which they are given', () => {
  expect(find('model', 'dryrun').map(({ name }) => name)).toEqual(['model', 'dryrun']);
});
