import { expect, it } from 'vitest';
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
import { debugging, listPolls, opened, play, success } from './scenario.ts';

// unit/http/legal-responses.test.ts shows each of them in pieces of any size.

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

it('every legal response to a create and to a poll yields the job', async () => {
  const script = { create: legal, get: [...legal, opened] };
  const { result } = await play(script, success, debugging);
  const polls = listPolls(result);
  const refused = legal.filter((_, index) => !polls[index]?.endsWith(': active'));
  expect(refused.map(({ title }) => title)).toEqual([]);
});
