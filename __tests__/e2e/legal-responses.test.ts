import { expect, it } from 'vitest';
import { closing, open } from '../helpers/legal-responses.ts';
import { faults } from '../helpers/servers.ts';
import { debugging, listPolls, opened, play, success } from './scenario.ts';

// unit/http/legal-responses.test.ts shows each of them in pieces of any size.

const legal = [
  ...open.map(([title, bytes]) => ({ title, fault: faults.write(bytes) })),
  ...closing.map(([title, bytes]) => ({ title, fault: faults.writeAndClose(bytes) })),
];

it('every legal response to a create request and to a poll yields the job', async () => {
  const script = { create: legal, get: [...legal, opened] };
  const { result } = await play(script, success, debugging);
  const polls = listPolls(result);
  const refused = legal.filter((_, index) => !polls[index]?.endsWith(': active'));
  expect(refused.map(({ title }) => title)).toEqual([]);
});
