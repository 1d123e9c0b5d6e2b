import { expect, it } from 'vitest';
import { toConnectError } from '../../../src/http/connect-error.ts';

const destination = new URL('https://api.example.com/v1');

const toDetail = (error: unknown): string => toConnectError(error, destination).message;

const at = 'api.example.com:443';
const closed = { code: 'UND_ERR_SOCKET', message: 'other side closed' };
const weak = { code: 'UNSPECIFIED', message: 'EE certificate key too weak' };
it.each([
  [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }, 'no such host: ENOTFOUND api.example.com'],
  [{ code: 'EHOSTUNREACH', syscall: 'connect' }, `EHOSTUNREACH ${at}`],
  [{ code: 'CERT_HAS_EXPIRED' }, `the certificate has expired: CERT_HAS_EXPIRED ${at}`],
  [closed, `connection closed: UND_ERR_SOCKET ${at}`],
  [{ code: 'UND_ERR_ABORTED', message: 'aborted' }, 'aborted'],
  [weak, `the certificate was rejected: EE certificate key too weak ${at}`],
])('describes %j', (properties, detail) => {
  expect(toDetail(Object.assign(new Error(), properties))).toBe(detail);
});

const permanent = { code: 'tls-failed', isTransient: false };
const temporary = { code: 'connect-failed', isTransient: true };
it.each([
  ['tlsv1 alert protocol version', permanent],
  ['unsupported protocol', permanent],
  ['tlsv13 alert certificate required', permanent],
  ['tlsv1 alert internal error', temporary],
  ['wrong version number', temporary],
  ['packet length too long', temporary],
  ['', temporary],
])('decides whether the TLS error "%s" lasts', (reason, expected) => {
  expect(toConnectError({ code: 'ERR_SSL_X', reason }, destination)).toMatchObject(expected);
});
