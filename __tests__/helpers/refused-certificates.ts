import { createHolder as create, type Holder, toKeyPair } from '../../harness/certificates.ts';

/** The chain of `holders`, the server first and the authority last. */
function toRefused(title: string, code: string, ...holders: [Holder, ...Holder[]]) {
  const chain = holders.length > 1 ? holders.slice(0, -1) : holders;
  return { title, code, tls: toKeyPair(holders[0], chain), authority: holders.at(-1)?.cert ?? '' };
}

/**
 * One of each kind, for a server of this name: certificates that a client must refuse although it may trust the
 * authority, and how the code begins that says why.
 */
export function createRefusedCertificates(host: string) {
  const names = [host];
  const root = create();
  const narrow = create({ pathLength: 0 });
  const below = create({}, narrow);
  const server = create({ names }, root);
  const impostor = { ...create(), name: root.name };
  const old = create({ days: -1 });
  const client = create({ names, purpose: 'clientAuthentication' }, root);
  const other = create({ names: ['other.example'] }, root);
  return [
    toRefused('that is for clients', 'INVALID_PURPOSE', client, root),
    toRefused('below what may be the last', 'PATH_LENGTH_EXCEEDED', create({ names }, below), below, narrow),
    toRefused('that a server signed', 'INVALID_', create({ names }, server), server, root),
    toRefused('with a wrong signature', 'CERT_SIGNATURE_FAILURE', create({ names }, impostor), root),
    toRefused('of an authority that has expired', 'CERT_HAS_EXPIRED', create({ names }, old), old),
    toRefused('that has expired', 'CERT_HAS_EXPIRED', create({ names, days: -1 }, root), root),
    toRefused('that is not valid yet', 'CERT_NOT_YET_VALID', create({ names, fromDays: 2 }, root), root),
    toRefused('for another host', 'ERR_TLS_CERT_ALTNAME_INVALID', other, root),
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
