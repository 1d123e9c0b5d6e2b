import fc from 'fast-check';
import { expect } from 'vitest';
import { readInputs } from '../../src/inputs/read-inputs.ts';
import { createAgentClient } from '../../src/service/agent-client.ts';
import { scriptedService } from '../helpers/servers.ts';
import { forAll } from './for-all.ts';
import { hostileText } from './parameters.ts';

const service = await scriptedService();
const segment = fc.oneof(
  hostileText,
  fc.stringMatching(/^[A-Za-z0-9_.~-]{1,20}$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
);
const options = { timeoutMs: 5_000, signal: new AbortController().signal };
forAll(
  'createAgentClient keeps the origin and prefix of the address for any valid id and project',
  [segment, segment, fc.constantFrom('', '/', '/a/b', '/a/b/')],
  async (project, id, prefix) => {
    const env = {
      'INPUT_PROJECT-ID': project,
      'INPUT_JOB-ID': id,
      'INPUT_API-KEY': 'mint_0123456789abcdef',
      'INPUT_BASE-URL': `${service.url}${prefix}`,
    };
    let inputs: ReturnType<typeof readInputs>;
    try {
      inputs = readInputs(env, { eventTag: undefined, isWithoutSecrets: false });
    } catch {
      return;
    }
    const { request, projectId } = inputs;
    if (request.kind !== 'attach') return;
    service.requests.length = 0;
    await createAgentClient({ ...inputs, redact: (text) => text }).getJob(request.jobId, options);
    const start = `${prefix.replace(/\/$/, '')}/v2/agent/`;
    const paths = service.requests.map(({ path }) => path);
    expect(paths).toEqual([
      `${start}${encodeURIComponent(projectId)}/job/${encodeURIComponent(request.jobId)}`,
    ]);
    expect(paths[0]?.slice(start.length).split('/')).toHaveLength(3);
  },
  1 / 2,
);
