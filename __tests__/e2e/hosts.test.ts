import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { commits, repository, setUp, tagPush } from '../helpers/github.ts';

it('a run connects only to the service and to GitHub, and starts no process', async () => {
  const history = commits(2);
  const tags = history.map(({ sha }, index) => ({ name: `v1.${index}.0`, sha }));
  const docs = repository({ pulls: { 128: { title: 'Docs', state: 'open', files: [] } } });
  const repositories = {
    'acme/docs': docs,
    'acme/widgets': repository({ commits: history, tags }),
  };
  const { finish, baseUrl, apiUrl } = await setUp({}, { repositories });
  const preload = [fileURLToPath(new URL('../helpers/record-connections.cjs', import.meta.url))];
  const inputs = { 'include-changes': 'true', paths: 'src/**' };
  const { stderr, summary } = await finish(inputs, {
    env: { ...tagPush('v1.1.0').env, GITHUB_RUN_ATTEMPT: '2' },
    preload,
  });
  expect(summary).toContain('**[Docs](');
  expect(new Set(stderr.trim().split('\n'))).toEqual(
    new Set([`connects to ${apiUrl}`, `connects to ${baseUrl}`]),
  );
});
