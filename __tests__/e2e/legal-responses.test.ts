import { describe, expect, it } from 'vitest';
import {
  chunkings,
  closing,
  codings,
  fields,
  interims,
  lengths,
  statusLines,
} from '../helpers/legal-responses.ts';
import { faults } from '../helpers/servers.ts';
import { local, opened, play, success } from './scenario.ts';

// unit/http/legal-responses.test.ts has each of them in pieces of any size; these are the real runs.

const open = [
  ...interims,
  ...statusLines.slice(2, 4),
  ...fields.slice(0, 2),
  ...codings,
  ...lengths,
  ...chunkings.slice(4, 6),
].map(([title, bytes]) => ({ title, fault: faults.write(bytes) }));
const closed = closing.map(([title, bytes]) => ({ title, fault: faults.writeAndClose(bytes) }));
const legal = [...open, ...closed];

describe.concurrent('every legal response yields the job', () => {
  it.each([
    ['', {}],
    [', over TLS', { tls: local }],
  ])('to a create and to polls%s', async (_, transport) => {
    const script = { create: legal, get: [...legal, opened] };
    const { result } = await play(script, success, { env: { RUNNER_DEBUG: '1' } }, transport);
    const polls = result.commands
      .filter(({ name, data }) => name === 'debug' && !data.includes('no connection to'))
      .map(({ data }) => data);
    const refused = legal.filter((_, index) => !polls[index]?.endsWith(': active'));
    expect(refused.map(({ title }) => title)).toEqual([]);
  });
});
