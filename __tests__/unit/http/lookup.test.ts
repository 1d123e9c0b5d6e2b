import { describe, expect, it } from 'vitest';
import { parseAnswer } from '../../../src/http/lookup.ts';

const v4 = { address: '192.0.2.1', family: 4 };
const v6 = { address: 'fe80::1%eth0', family: 6 };

describe('parseAnswer', () => {
  it.each([
    ['addresses', `${JSON.stringify([v4, v6])}\n`, [v4, v6]],
    ['the code of an error', '"ENOTFOUND"\n', 'ENOTFOUND'],
    ['the last of several lines', `(node) warning\n"EAI_AGAIN"\n${JSON.stringify([v4])}\n`, [v4]],
  ])('reads %s', (_, output, answer) => {
    expect(parseAnswer(output)).toEqual(answer);
  });

  it.each([
    ['nothing', ''],
    ['a line that may go on', '"ENOTFOUND"'],
    ['an empty line', '\n'],
    ['no JSON', 'ENOTFOUND\n'],
    ['another word', '"not found"\n'],
    ['an empty list', '[]\n'],
    ['one address without a list', `${JSON.stringify(v4)}\n`],
    ['a name for an address', '[{"address":"example.com","family":4}]\n'],
    ['a name without a family', '[{"address":"example.com","family":0}]\n'],
    ['a wrong family', '[{"address":"192.0.2.1","family":6}]\n'],
    ['an address without a family', '[{"address":"192.0.2.1"}]\n'],
    ['one wrong among right ones', `${JSON.stringify([v4, null])}\n`],
    ['a number', '7\n'],
  ])('does not take %s for an answer', (_, output) => {
    expect(parseAnswer(output)).toBeUndefined();
  });
});
