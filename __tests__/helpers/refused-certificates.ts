import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { type CertificateFacts, createCertificate, type KeyPair } from './certificates.ts';

const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';

/** A certificate that a client must refuse although it may trust the authority, and how the code begins that says why. */
export interface RefusedCertificate {
  readonly title: string;
  readonly code: string;
  readonly tls: KeyPair;
  /** The certificate of the authority as PEM. */
  readonly authority: string;
}

interface Holder {
  readonly name: string;
  readonly privateKey: KeyObject;
  readonly cert: string;
}

type Change = Partial<CertificateFacts>;

/** A key and a certificate, by default of an authority that signs itself. */
function create(change: Change, issuer?: Holder): Holder {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = change.subject ?? `Test ${randomBytes(8).toString('hex')}`;
  const facts = { subject: name, publicKey, issuer: issuer ?? { name, privateKey }, names: [], days: 7 };
  return { name, privateKey, cert: createCertificate({ ...facts, ...change }) };
}

/** The chain of `holders`, the server first and the authority last. */
function toRefused(title: string, code: string, ...holders: [Holder, ...Holder[]]): RefusedCertificate {
  const chain = holders.length > 1 ? holders.slice(0, -1) : holders;
  return {
    title,
    code,
    tls: {
      key: holders[0].privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      cert: chain.map(({ cert }) => cert).join(''),
    },
    authority: holders.at(-1)?.cert ?? '',
  };
}

/** One of each kind, for a server of this name. */
export function createRefusedCertificates(host: string): RefusedCertificate[] {
  const names = [host];
  const root = create({});
  const narrow = create({ pathLength: 0 });
  const below = create({}, narrow);
  const server = create({ names }, root);
  const impostor = { ...create({}), name: root.name };
  const old = create({ days: -1 });
  return [
    toRefused(
      'that is for clients',
      'INVALID_PURPOSE',
      create({ names, purpose: CLIENT_AUTHENTICATION }, root),
      root,
    ),
    toRefused(
      'of an authority that may have none below it',
      'PATH_LENGTH_EXCEEDED',
      create({ names }, below),
      below,
      narrow,
    ),
    toRefused('that a server signed', 'INVALID_', create({ names }, server), server, root),
    toRefused('with a wrong signature', 'CERT_SIGNATURE_FAILURE', create({ names }, impostor), root),
    toRefused('of an authority that has expired', 'CERT_HAS_EXPIRED', create({ names }, old), old),
    toRefused('that has expired', 'CERT_HAS_EXPIRED', create({ names, days: -1 }, root), root),
    toRefused('that is not valid yet', 'CERT_NOT_YET_VALID', create({ names, fromDays: 2 }, root), root),
    toRefused(
      'for another host',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      create({ names: ['other.example'] }, root),
      root,
    ),
    {
      ...toRefused('that signs itself', 'DEPTH_ZERO_SELF_SIGNED_CERT', create({ names })),
      authority: root.cert,
    },
    {
      ...toRefused('of an unknown authority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', server, root),
      authority: narrow.cert,
    },
  ];
}
