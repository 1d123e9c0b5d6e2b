import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A private key and its certificate, both as PEM. */
export interface KeyPair {
  key: string;
  cert: string;
}

/** The holder of a key and a certificate. */
interface Holder extends KeyPair {
  readonly name: string;
  readonly privateKey: KeyObject;
}

/**
 * Creates a key and its certificate: for host names and IPv4 addresses, or without them for an
 * authority. Without an issuer, it signs itself.
 */
function createHolder(names?: string[], issuer?: Holder): Holder {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = `Test ${randomBytes(8).toString('hex')}`;
  // X.509 v3 by RFC 5280, section 4.1, in DER.
  const algorithm = sequence(oid('ecdsaWithSha256'));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1), randomBytes(8)),
    algorithm,
    toName(issuer?.name ?? name),
    sequence(toTime(-1), toTime(7)),
    toName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(names ? listHosts(names) : isAuthority)),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  const certificate = sequence(body, algorithm, der(0x03, Buffer.of(0), signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  const cert = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { name, privateKey, key, cert };
}

/**
 * Creates an authority: its certificate for NODE_EXTRA_CA_CERTS, and a function that issues server
 * certificates.
 */
export function createAuthority() {
  const authority = createHolder();
  const issue = (names: string[]): KeyPair => createHolder(names, authority);
  return { cert: authority.cert, issue };
}

/** Creates a self-signed server certificate. */
export const createSelfSigned = (names: string[]): KeyPair => createHolder(names);

function listHosts(names: string[]): Buffer {
  const toHost = (name: string): Buffer =>
    isIP(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));
  return extension('subjectAlternativeName', sequence(...names.map(toHost)));
}

function extension(name: keyof typeof objectIds, value: Buffer): Buffer {
  return sequence(oid(name), der(0x04, value));
}

function toName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid('commonName'), der(0x0c, Buffer.from(commonName)))));
}

function toTime(days: number): Buffer {
  const digits = new Date(Date.now() + days * 86_400_000).toISOString().replace(/\D/g, '');
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

/** The content of object identifiers in DER. */
const objectIds = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectAlternativeName: '551d11',
  basicConstraints: '551d13',
};

const oid = (name: keyof typeof objectIds): Buffer =>
  der(0x06, Buffer.from(objectIds[name], 'hex'));

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length =
    size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const isAuthority = extension('basicConstraints', sequence(der(0x01, Buffer.of(0xff))));
