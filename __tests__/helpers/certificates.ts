import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A private key and its certificate, both as PEM. */
export interface KeyPair {
  key: string;
  cert: string;
}

export interface Authority {
  /** The certificate of the authority as PEM, for NODE_EXTRA_CA_CERTS. */
  cert: string;
  /**
   * A server certificate for these host names and IPv4 addresses, good from the day before it ends or from
   * yesterday until so many days from now; with less than 0 days it has expired.
   */
  issue(names: string[], days?: number): KeyPair;
}

const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
const dayMs = 24 * 60 * 60 * 1000;

/** The holder of a key, and what a certificate says of them. */
export interface Holder {
  readonly name: string;
  readonly privateKey: KeyObject;
  readonly cert: string;
}

/** A key and its certificate, good for a week and by default of an authority that signs itself. */
export function createHolder(change: Partial<CertificateFacts> = {}, issuer?: Holder): Holder {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = change.subject ?? `Test ${randomBytes(8).toString('hex')}`;
  const facts = { subject: name, publicKey, issuer: issuer ?? { name, privateKey }, names: [], days: 7 };
  return { name, privateKey, cert: createCertificate({ ...facts, ...change }) };
}

/** The key of a server, and the chain of its certificates. */
export function toKeyPair({ privateKey }: Holder, chain: readonly Holder[]): KeyPair {
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { key, cert: chain.map(({ cert }) => cert).join('') };
}

/** A certificate authority of its own, made at the time of the test. */
export function createAuthority(): Authority {
  const authority = createHolder();
  return {
    cert: authority.cert,
    issue(names, days = 7) {
      const server = createHolder({ names, days }, authority);
      return toKeyPair(server, [server]);
    },
  };
}

/** A server certificate that is signed by its own key. */
export function createSelfSigned(names: string[]): KeyPair {
  const server = createHolder({ names });
  return toKeyPair(server, [server]);
}

export interface CertificateFacts {
  subject: string;
  publicKey: KeyObject;
  issuer: { name: string; privateKey: KeyObject };
  /** Host names and addresses; without any it is the certificate of an authority. */
  names: string[];
  days: number;
  /** When it begins to be valid, in days from now. */
  fromDays?: number;
  /** What a server's certificate is for; by default to authenticate servers. */
  purpose?: string;
  /** How many authorities may be between this one and a server. */
  pathLength?: number;
}

// X.509 v3 by RFC 5280, section 4.1, in DER.
function createCertificate(facts: CertificateFacts): string {
  const { subject, publicKey, issuer, names, days, fromDays, purpose, pathLength } = facts;
  const end = Date.now() + days * dayMs;
  const start = fromDays === undefined ? Math.min(Date.now(), end) - dayMs : Date.now() + fromDays * dayMs;
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1), randomBytes(8)),
    algorithm,
    toName(issuer.name),
    sequence(toTime(start), toTime(end)),
    toName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(...(names.length > 0 ? serverExtensions(names, purpose) : authorityExtensions(pathLength))),
    ),
  );
  const certificate = sequence(body, algorithm, bits(sign('sha256', body, issuer.privateKey)));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function serverExtensions(names: string[], purpose = SERVER_AUTHENTICATION): Buffer[] {
  const hosts = names.map((name) =>
    isIP(name) === 4 ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name)),
  );
  return [extension('2.5.29.17', sequence(...hosts)), extension('2.5.29.37', sequence(oid(purpose)))];
}

function authorityExtensions(pathLength?: number): Buffer[] {
  const constraint = pathLength === undefined ? [] : [der(0x02, Buffer.of(pathLength))];
  return [
    extension('2.5.29.19', sequence(der(0x01, Buffer.of(0xff)), ...constraint)),
    extension('2.5.29.15', der(0x03, Buffer.of(1, 0x06))),
  ];
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value));
}

function toName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(commonName)))));
}

function toTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '');
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function bits(bytes: Buffer): Buffer {
  return der(0x03, Buffer.of(0), bytes);
}

function oid(id: string): Buffer {
  const [first = 0, second = 0, ...rest] = id.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(toBase128)]));
}

function toBase128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
