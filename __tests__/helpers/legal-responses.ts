import { jobRecord } from './job-record.ts';

// Every legal form of a response to a create request (RFC 9110, RFC 9112), and its bytes.

export type LegalResponse = [title: string, bytes: Buffer];

/** The JSON in each of them. Some have a byte order mark or white space around it. */
export const body = JSON.stringify(jobRecord({ title: 'Grüße \u{1f600}' }));
const bytes = Buffer.from(body);
const length = bytes.length;

const toHead = (...lines: string[]): string => [...lines, '', ''].join('\r\n');

/** Returns a response with a status line, fields, and a body. */
function compose(statusLine: string, fields: string[], content: Buffer | string = bytes): Buffer {
  return Buffer.concat([Buffer.from(toHead(statusLine, ...fields), 'latin1'), Buffer.from(content)]);
}

/** Returns the usual response with this status line. */
const answer = (statusLine: string): Buffer => compose(statusLine, [`content-length: ${length}`]);

/** Returns the response with these fields alone. */
const bare = (...fields: string[]): Buffer => compose('HTTP/1.1 201 Created', fields);

const created = (...fields: string[]): Buffer => bare('content-type: application/json', ...fields);

/** Returns the response with its length and these fields. */
const sized = (...fields: string[]): Buffer => created(`content-length: ${length}`, ...fields);

/** Returns the response with this body and its length. */
function written(text: string): Buffer {
  return compose('HTTP/1.1 201 Created', [`content-length: ${Buffer.byteLength(text)}`], text);
}

/** Returns interim responses, then the final one. */
function after(...interims: string[]): Buffer {
  return Buffer.concat([Buffer.from(interims.join('')), sized()]);
}

/** Returns the response in chunks (RFC 9112, section 7.1). */
function chunked({
  size = 64,
  extension = '',
  format = (chunk: number) => chunk.toString(16),
  last = '0',
  trailer = '',
  field = 'transfer-encoding: chunked',
} = {}): Buffer {
  const parts: (string | Buffer)[] = [];
  for (let at = 0; at < length; at += size) {
    const chunk = bytes.subarray(at, at + size);
    parts.push(`${format(chunk.length)}${extension}\r\n`, chunk, '\r\n');
  }
  parts.push(`${last}${extension}\r\n${trailer}\r\n`);
  return compose('HTTP/1.1 201 Created', [field], Buffer.concat(parts.map((part) => Buffer.from(part))));
}

const continues = toHead('HTTP/1.1 100 Continue');
const processing = toHead('HTTP/1.1 102 Processing');
const hints = toHead('HTTP/1.1 103 Early Hints', 'link: </a.css>; rel=preload', 'link: </b.js>');
const closes = toHead('HTTP/1.1 100 Continue', 'server: x', 'content-length: 0', 'connection: close');

/** Responses whose end is in their bytes. */
export const open: LegalResponse[] = [
  ['no reason phrase and no space', answer('HTTP/1.1 201')],
  ['a long reason phrase of other bytes', answer(`HTTP/1.1 201 Cr\u00e9\u00e9\t!${'x'.repeat(4_000)}`)],
  ['HTTP/1.0 and a length', answer('HTTP/1.0 201 Created')],
  ['an unknown status of success', answer('HTTP/1.1 299 Fine')],

  ['names in upper case', bare('CONTENT-TYPE: APPLICATION/JSON', `CONTENT-LENGTH: ${length}`)],
  ['no space after the colon', bare(`Content-Length:${length}`)],
  ['white space around values', created(`content-length:   ${length}  `, 'content-encoding: \t identity \t')],
  ['empty values, and values of other bytes', sized('x-empty:', 'x-latin: \u00e4\u00ff')],
  [
    'names of any character, and of objects',
    sized("!#$%&'*+-.^_`|~0aZ: 1", '__proto__: 1', 'constructor: 2'),
  ],
  ['a hundred fields', sized(...Array.from({ length: 100 }, (_, n) => `x-${n}: ${n}`))],
  ['fields of 12 KB', sized(`x-long: ${'a'.repeat(12_000)}`)],
  ['repeated fields', sized('set-cookie: a=1', 'set-cookie: b=2', 'vary: a', 'vary: b')],
  ['a Location', sized('location: /elsewhere')],
  ['an upgrade that is offered', sized('upgrade: h2c', 'connection: upgrade')],
  ['an empty coding', sized('content-encoding:')],
  ['identity on two lines', sized('content-encoding: identity', 'Content-Encoding: Identity, IDENTITY')],
  ['a length with leading zeros', created(`content-length: 000${length}`)],
  ['Connection: Keep-Alive, x', sized('connection: Keep-Alive, x', 'x: 1')],
  ['a byte order mark', written(`\ufeff${body}`)],
  ['white space around the JSON', written(`\r\n \t${body}\r\n`)],

  ['a byte in each chunk', chunked({ size: 1 })],
  ['chunk sizes in upper case', chunked({ size: 0xab, format: (size) => size.toString(16).toUpperCase() })],
  [
    'leading zeros in chunk sizes',
    chunked({ format: (size) => size.toString(16).padStart(8, '0'), last: '000' }),
  ],
  ['chunk extensions', chunked({ extension: ';a=1;b="x;y \\" z";c' })],
  ['trailers', chunked({ trailer: 'x-checksum: 1\r\nretry-after: 9\r\n' })],
  ['chunks announced in upper case', chunked({ field: 'Transfer-Encoding:\tCHUNKED ' })],

  ['ten 100', after(continues.repeat(10))],
  ['a 100 with fields', after(closes)],
  ['a 100 without a reason phrase', after(toHead('HTTP/1.1 100 '))],
  ['an unknown 199', after(toHead('HTTP/1.1 199 Whatever', 'retry-after: 9'))],
  ['100, 102, 103, and 100', after(continues, processing, hints, continues)],
  ['a thousand 102', after(processing.repeat(1_000))],
  ['a 100 before chunks', Buffer.concat([Buffer.from(continues), chunked()])],
];

/** Responses that the close of the connection may end. */
export const closing: LegalResponse[] = [
  ['no length', created()],
  ['no length and Connection: CLOSE', created('Connection: CLOSE')],
  ['a length and Connection: close', sized('connection: close')],
  ['HTTP/1.0, no fields, no reason phrase', compose('HTTP/1.0 201', [])],
];
