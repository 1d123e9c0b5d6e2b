import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../../emulator/options.ts';

/** An action of another project that also starts something at a server and waits for it. */
interface OtherAction {
  readonly name: string;
  readonly entry: string;
  /** Returns variables with which its first request goes to this address. */
  readonly getEnv: (url: string) => Readonly<Record<string, string>>;
}

const TOKEN = 'ghs_token_of_the_benchmark_0001';

const ACTIONS: readonly OtherAction[] = [
  {
    name: 'await-remote-run',
    entry: 'dist/index.mjs',
    getEnv: (url) => ({
      GITHUB_API_URL: url,
      INPUT_TOKEN: TOKEN,
      INPUT_OWNER: 'acme',
      INPUT_REPO: 'app',
      INPUT_RUN_ID: '1',
      INPUT_RUN_TIMEOUT_SECONDS: '300',
      INPUT_POLL_INTERVAL_MS: '5000',
    }),
  },
  {
    name: 'agents-chat-action',
    entry: 'dist/index.js',
    getEnv: (url) => ({
      'INPUT_CODER-URL': url,
      'INPUT_CODER-TOKEN': TOKEN,
      'INPUT_GITHUB-TOKEN': TOKEN,
      'INPUT_GITHUB-URL': 'https://github.com/acme/app/issues/1',
      'INPUT_CHAT-PROMPT': 'Write it',
      'INPUT_COMMENT-ON-ISSUE': 'false',
      'INPUT_FORCE-NEW-CHAT': 'false',
      INPUT_WAIT: 'none',
      'INPUT_WAIT-TIMEOUT-SECONDS': '600',
    }),
  },
];

/**
 * Returns the actions whose repositories are in the folder BENCH_ACTIONS, each in a folder with its
 * name. Throws a `CommandError` if one of them is missing.
 */
export function listOtherActions(url: string) {
  const folder = process.env['BENCH_ACTIONS'];
  if (folder === undefined) {
    return [];
  }
  return ACTIONS.map(({ name, entry, getEnv }) => {
    const path = join(folder, name, entry);
    if (!existsSync(path)) {
      throw new CommandError(`BENCH_ACTIONS has no file ${path}.`);
    }
    return { name, args: [path], env: getEnv(url) };
  });
}
