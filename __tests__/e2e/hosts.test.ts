import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { commits, repository, setUp, tagPush } from '../helpers/github.ts';
import { scriptedService } from '../helpers/servers.ts';
import { begin } from './scenario.ts';

it('a run connects only to the service and to GitHub, and starts no process', async () => {
  const history = commits(2);
  const tags = history.map(({ sha }, index) => ({ name: `v1.${index}.0`, sha }));
  const docs = repository({ pulls: { 128: { title: 'Docs', state: 'open', files: [] } } });
  const repositories = { 'acme/docs': docs, 'acme/widgets': repository({ commits: history, tags }) };
  const { finish, baseUrl, apiUrl } = await setUp({}, { repositories });
  const preload = [fileURLToPath(new URL('../helpers/record-connections.cjs', import.meta.url))];
  const inputs = { 'release-context': 'true', paths: 'src/**' };
  const { stderr, summary } = await finish(inputs, {
    env: { ...tagPush('v1.1.0').env, GITHUB_RUN_ATTEMPT: '2' },
    preload,
  });
  expect(summary).toContain('**[Docs](');
  expect(new Set(stderr.trim().split('\n'))).toEqual(
    new Set([`connects to ${apiUrl}`, `connects to ${baseUrl}`]),
  );
});

it('a run says that its Node is too old, and starts no job', async () => {
  const service = await scriptedService();
  const preload = [fileURLToPath(new URL('./fault-inside.cjs', import.meta.url))];
  const { action } = begin(service.url, { preload, env: { INSIDE: 'old-node' } });
  const { exitCode, annotations } = await action.ended;
  expect({ exitCode, creates: service.creates }).toEqual({ exitCode: 1, creates: 0 });
  expect(annotations.errors).toEqual([expect.stringContaining('needs Node 20 or later')]);
});
