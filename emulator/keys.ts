import { type Call, Refusal } from './replies.ts';

/** A key for every call, as is any other `mint_…` key that is not in `specialKeys`. */
export const adminKey = 'mint_emulator_admin_key_0001';

interface SpecialKey {
  readonly key: string;
  readonly description: string;
  readonly refuses: readonly Call[];
  readonly status: 401 | 403;
  readonly error: string;
}

/** Keys with a flaw, by their value. */
export const specialKeys: readonly SpecialKey[] = [
  {
    key: 'mint_emulator_read_only_key_0001',
    description: 'read scope only: create and follow-up return 403',
    refuses: ['create', 'follow-up'],
    status: 403,
    error: 'API key does not have the write scope',
  },
  {
    key: 'mint_emulator_ip_limited_key_0001',
    description: 'limited to other IP addresses: every call returns 403',
    refuses: ['create', 'get', 'follow-up'],
    status: 403,
    error: 'API key may not be used from this IP address',
  },
  {
    key: 'mint_emulator_expired_key_0001',
    description: 'expired: every call returns 401',
    refuses: ['create', 'get', 'follow-up'],
    status: 401,
    error: 'API key has expired',
  },
  {
    key: 'mint_emulator_low_plan_key_0001',
    description: 'of a plan without the API: every call returns 401',
    refuses: ['create', 'get', 'follow-up'],
    status: 401,
    error: 'Please upgrade to access this route.',
  },
];

const advice = 'use a key that the emulator prints, or the output api-key of its step';

/**
 * Throws a `Refusal` unless the `Authorization` header has an admin key that may make the call.
 * Kinds of key, scopes, and status codes come from the service's public documentation.
 */
export function checkKey(authorization: string | undefined, call: Call): void {
  const key = /^bearer +(mint_(?!dsc_|us_)[\w-]+) *$/i.exec(authorization ?? '')?.[1];
  if (key === undefined) {
    throw new Refusal(401, `Not an admin API key: ${advice}`);
  }
  const special = specialKeys.find((candidate) => candidate.key === key);
  if (special?.refuses.includes(call)) {
    throw new Refusal(special.status, special.error);
  }
}
