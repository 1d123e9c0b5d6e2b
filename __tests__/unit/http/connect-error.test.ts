import { describe, expect, it } from 'vitest';
import { formatAuthority, toConnectError } from '../../../src/http/connect-error.ts';

const destination = new URL('https://api.example.com/v1');

describe('formatAuthority', () => {
  it.each([
    [new URL('https://api.example.com'), 'api.example.com:443'],
    [new URL('http://api.example.com/x'), 'api.example.com:80'],
    [new URL('https://api.example.com:8443'), 'api.example.com:8443'],
    [new URL('https://[::1]:8443'), '[::1]:8443'],
  ])('names the host and port of %j', (url, text) => {
    expect(formatAuthority(url)).toBe(text);
  });
});

describe('toConnectError', () => {
  const toDetail = (error: unknown): string => toConnectError(error, destination).message;

  it.each([
    [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }, 'ENOTFOUND api.example.com'],
    [{ code: 'ECONNREFUSED', syscall: 'connect' }, 'ECONNREFUSED api.example.com:443'],
    [{ code: 'CERT_HAS_EXPIRED' }, 'CERT_HAS_EXPIRED api.example.com:443'],
    [{ code: 'UND_ERR_SOCKET', message: 'other side closed' }, 'other side closed'],
    [{ message: 'odd' }, 'odd'],
  ])('describes %j', (properties, detail) => {
    expect(toDetail(Object.assign(new Error(), properties))).toBe(detail);
  });

  it.each([undefined, 'text', null])('describes a thrown %o', (thrown) => {
    expect(toDetail(thrown)).toBe(String(thrown));
  });

  it.each([
    'tlsv1 alert protocol version',
    'unsupported protocol',
    'tlsv1 alert unknown ca',
    'sslv3 alert bad certificate',
    'tlsv13 alert certificate required',
  ])('treats the TLS error "%s" as permanent', (reason) => {
    expect(toConnectError({ code: 'ERR_SSL_X', reason }, destination).failure).toBe('tls');
  });

  it.each(['tlsv1 alert internal error', 'wrong version number', 'packet length too long', ''])(
    'treats the TLS error "%s" as temporary',
    (reason) => {
      expect(toConnectError({ code: 'ERR_SSL_X', reason }, destination).failure).toBe('unreachable');
    },
  );
});
