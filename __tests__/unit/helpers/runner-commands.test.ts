import { describe, expect, it } from 'vitest';
import { collectMasks, maskText } from '../../../harness/masks.ts';
import { parseOutputFile } from '../../../harness/output-file.ts';
import { parseCommands } from '../../../harness/runner-commands.ts';

/** `name|key=value|data` of every command in a text. */
function summarize(text: string): string[] {
  return parseCommands(text).commands.map(({ name, properties, data }) =>
    [name, ...Object.entries(properties).map(([key, value]) => `${key}=${value}`), data].join('|'),
  );
}

describe('parseCommands', () => {
  it.each([
    ['a command', '::error::broken', ['error|broken']],
    ['properties', '::error file=a.ts,line=1,title=Bad::broken', ['error|file=a.ts|line=1|title=Bad|broken']],
    ['white space before it', '\t \u00a0\u2003\u0085::debug::x', ['debug|x']],
    ['a byte order mark before it', '\ufeff::debug::x', []],
    ['text before it', 'x ::error::broken', []],
    ['upper case', '::Set-Output name=a::b', ['set-output|name=a|b']],
    ['a name that is not registered', '::foo::x', []],
    ['a registered name that goes on', '::errors::x', []],
    ['no second separator', '::error:', []],
    ['empty data', '::endgroup::', ['endgroup|']],
    ['separators in the data', '::notice::a::b::c', ['notice|a::b::c']],
    ['a property with a separator', '::error title=a::b::c', ['error|title=a|b::c']],
    ['escapes in data', '::notice::%25%0D%0A%3A%2C%0a', ['notice|%\r\n%3A%2C%0a']],
    ['escapes in properties', '::notice title=%3A%2C%0D%0A%25::x', ['notice|title=:,\r\n%|x']],
    ['an escaped escape', '::notice::%250A', ['notice|%0A']],
    ['properties without a value or key', '::error title=,=x,a,b=1::x', ['error|b=1|x']],
    ['a value with an equals sign', '::error title=a=b=c::x', ['error|title=a=b=c|x']],
    ['spaces around the properties', '::error   a=1, b=2  ::x', ['error|a=1| b=2|x']],
    ['the old syntax', '##[error]broken', ['error|broken']],
    ['the old syntax in mid-line', 'see ##[set-output name=a;]b', ['set-output|name=a|b']],
    ['escapes of the old syntax', '##[warning a=%3B%5D;b=2]%3B%0D%0A%5D%25', ['warning|a=;]|b=2|;\r\n]%']],
    ['the old syntax below a colon that is none', '::foo:: ##[debug]x', ['debug|x']],
    ['only the first bracket', '##[foo] ##[error]x', []],
    ['a bracket that never closes', '##[error', []],
    ['hashes that do not touch', '## [error]x', []],
    ['a line feed', 'a\n::debug::x', ['debug|x']],
    ['a carriage return', 'a\r::debug::x\r\n::debug::y', ['debug|x', 'debug|y']],
    ['other line separators', 'a\u2028::debug::x\u0085::debug::y\v::debug::z', []],
    ['an invisible character in the separator', '::set-output name=a:\u200b:b', ['set-output|name=a|:b']],
    ['an invisible character at the start', ':\u200b:debug::x', []],
    ['a first bracket that a mark undoes', '##[\u0301 ##[debug]x', ['debug|x']],
  ])('%s', (_title, text, commands) => {
    expect(summarize(text)).toEqual(commands);
  });

  it('tells where a command is and which lines are none', () => {
    expect(parseCommands('one\r\n  ::debug::x\rtwo\n\nthree')).toEqual({
      commands: [{ offset: 5, text: '  ::debug::x', syntax: '::', name: 'debug', properties: {}, data: 'x' }],
      plainLines: ['one', 'two', '', 'three'],
    });
  });

  it('reads nothing between stop-commands and its token', () => {
    const text = '::stop-commands::Token1\n::error::no\n##[token1]\n::error::yes\n::token1::\n';
    expect(summarize(text)).toEqual(['stop-commands|Token1', 'error|yes']);
    expect(parseCommands(text).plainLines).toEqual(['::error::no', '::token1::']);
  });

  it.each(['', 'pause-logging', 'Error'])('does not stop for the token "%s"', (token) => {
    expect(summarize(`::stop-commands::${token}\n::debug::x`)).toEqual([`stop-commands|${token}`, 'debug|x']);
  });
});

describe('parseOutputFile', () => {
  it.each([
    ['nothing', '', {}],
    ['empty lines', '\n\na=1\n\n', { a: '1' }],
    ['a value with operators', 'a=b=<<c', { a: 'b=<<c' }],
    ['the last value of a name', 'a=1\na=2', { a: '2' }],
    ['a block', 'a<<END\none\ntwo\nEND\nb=2', { a: 'one\ntwo', b: '2' }],
    ['an empty block', 'a<<END\nEND', { a: '' }],
    ['a block of an empty line', 'a<<END\n\nEND\n', { a: '' }],
    ['a block that ends with an empty line', 'a<<END\nx\n\nEND\n', { a: 'x\n' }],
    ['lines like the delimiter', 'a<<END\n END\nEND \nEND', { a: ' END\nEND ' }],
    ['a delimiter with operators', 'a<<x=<<y\nb=1\nx=<<y', { a: 'b=1' }],
    ['carriage returns', 'a<<END\nx\r\ny\nEND', { a: 'x\r\ny' }],
    ['a byte order mark', '\ufeffa=1', { a: '1' }],
    ['a name like a property of all objects', '__proto__=1', JSON.parse('{"__proto__":"1"}')],
  ])('%s', (_title, text, pairs) => {
    expect(parseOutputFile(text, false)).toEqual(pairs);
  });

  it('takes both line ends on Windows', () => {
    expect(parseOutputFile('a<<END\r\nx\r\ny\nEND\r\nb=1\r\n', true)).toEqual({ a: 'x\r\ny', b: '1' });
  });

  it.each([
    ['no operator', 'abc'],
    ['no name', '=x'],
    ['a block without a name', '<<END\nEND'],
    ['a block without a delimiter', 'a<<\n\n'],
    ['a block that never ends', 'a<<END\nx\n'],
    ['a block that the file cuts', 'a<<END\nx'],
  ])('refuses %s', (_title, text) => {
    expect(() => parseOutputFile(text, false)).toThrow('Invalid');
  });
});

describe('masks', () => {
  it('are the values of add-mask, whole and by line', () => {
    const { commands } = parseCommands(
      '::add-mask::one%0Atwo \n::add-mask:: \n##[add-mask]three\n::debug::four',
    );
    expect(collectMasks(commands)).toEqual(['one\ntwo ', 'one', 'two', 'three']);
  });

  it.each([
    ['the value', 'a secret&1 b', 'a *** b'],
    ['overlapping and touching places', 'secret&1secret&1', '***'],
    ['base64', `a ${Buffer.from('secret&1').toString('base64')} b`, 'a ***= b'],
    ['URL form', 'a secret%261 b', 'a *** b'],
    ['XML form', '<secret&amp;1>', '<***>'],
    ['no other value', 'secret', 'secret'],
  ])('hide %s', (_title, text, shown) => {
    expect(maskText(text, ['secret&1'])).toBe(shown);
  });
});
