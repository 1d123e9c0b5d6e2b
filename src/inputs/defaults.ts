/** Written by `npm run generate` from action.yml, the one place where defaults are stated. */
export const INPUT_DEFAULTS = {
  'base-url': 'https://api.mintlify.com',
  wait: 'true',
  'timeout-minutes': '30',
  'poll-interval-seconds': '10',
  'release-context': 'false',
  reuse: 'rerun',
  'dry-run': 'false',
} as const;
