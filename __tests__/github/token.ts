import { createHash } from 'node:crypto';

/** The first part of every JWT that is signed with RS256. */
export const JWT_HEADER = Buffer.from('{"alg":"RS256","typ":"JWT"}').toString('base64url');

/**
 * Returns a token in the form of those of GitHub's App installations since 2026:
 * `ghs_<number>_<JWT>`, 520 characters or more. Works nowhere.
 */
export function createToken(name: string): string {
  const digits = (part: string): Buffer =>
    createHash('sha512')
      .update(part + name)
      .digest();
  const payload = { iss: 'github', jti: digits('jti').toString('hex'), sub: name };
  const signature = Buffer.concat(['a', 'b', 'c', 'd'].map(digits));
  const parts = [JSON.stringify(payload), signature].map((part) =>
    Buffer.from(part).toString('base64url'),
  );
  return `ghs_9315_${[JWT_HEADER, ...parts].join('.')}`;
}
