/** All inputs and their defaults. Written by `npm run generate` from action.yml. */
export const INPUT_DEFAULTS = {
  prompt: '',
  'prompt-file': '',
  'project-id': '',
  'api-key': '',
  'base-url': 'https://api.mintlify.com',
  'job-id': '',
  wait: 'true',
  'timeout-minutes': '30',
  'poll-interval-seconds': '10',
  'include-changes': 'false',
  'changes-since': '',
  'release-tag': '',
  reuse: 'rerun',
  paths: '',
  'github-token': '',
  'dry-run': 'false',
} as const;
