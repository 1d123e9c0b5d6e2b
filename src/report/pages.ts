// The pages of the service that messages link to. They exist only at its own address.

/** Charges and the balance. */
export const USAGE_PAGE = 'https://app.mintlify.com/settings/organization/usage';
/** API keys and project ids. */
export const KEYS_PAGE = 'https://app.mintlify.com/settings/organization/api-keys';
/** How to connect a repository. */
export const CONNECT_PAGE = 'https://www.mintlify.com/docs/agent#connect-repositories-as-context';
