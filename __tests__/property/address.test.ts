import { createServer } from 'node:http';
import fc from 'fast-check';
import { afterAll, describe, expect } from 'vitest';
import { readInputs } from '../../src/inputs/read-inputs.ts';
import { createAgentClient } from '../../src/job/agent-client.ts';
import { listen } from '../helpers/sockets.ts';
import { forAll } from './for-all.ts';
import { hostileText } from './parameters.ts';

describe('the address of a job', async () => {
  const paths: string[] = [];
  const server = createServer((incoming, response) => {
    paths.push(incoming.url ?? '');
    response.writeHead(404).end();
  });
  const { port, close } = await listen(server);
  afterAll(close);
  const segment = fc.oneof(
    hostileText,
    fc.stringMatching(/^[A-Za-z0-9_.~-]{1,20}$/),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  );
  const options = { timeoutMs: 5_000, signal: new AbortController().signal };
  forAll(
    'keeps its origin and prefix for any accepted id and project',
    [segment, segment, fc.constantFrom('', '/', '/a/b', '/a/b/')],
    async (project, id, prefix) => {
      const env = {
        'INPUT_PROJECT-ID': project,
        'INPUT_JOB-ID': id,
        'INPUT_API-KEY': 'mint_0123456789abcdef',
        'INPUT_BASE-URL': `http://127.0.0.1:${port}${prefix}`,
      };
      let inputs: ReturnType<typeof readInputs>;
      try {
        inputs = readInputs(env, undefined);
      } catch {
        return;
      }
      const { request, projectId } = inputs;
      if (request.kind !== 'attach') {
        return;
      }
      paths.length = 0;
      await createAgentClient({ ...inputs, redact: (text) => text }).getJob(request.jobId, options);
      const start = `${prefix.replace(/\/$/, '')}/v2/agent/`;
      expect(paths).toEqual([
        `${start}${encodeURIComponent(projectId)}/job/${encodeURIComponent(request.jobId)}`,
      ]);
      expect(paths[0]?.slice(start.length).split('/')).toHaveLength(3);
    },
    1 / 2,
  );
});
