import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

/** Runs `dns.lookup` on its arguments and prints the addresses, or the code of the error, as a line of JSON. */
const SCRIPT = `
const [, hostname, options] = process.argv;
require('node:dns').lookup(hostname, JSON.parse(options), (error, addresses) => {
  process.stdout.write(JSON.stringify(error ? String(error.code) : addresses) + '\\n');
});`;

const REUSE_MS = 60_000;
const MAX_OUTPUT_CHARS = 65_536;
const CREDENTIAL = /^INPUT_|TOKEN|SECRET|PASS|KEY|CREDENTIAL|AUTH|PROXY/i;

/** RFC 6761 section 6.3: these names always mean this machine, so there is nobody to ask. */
const LOCALHOST = /^(?:.+\.)?localhost\.?$/i;
const LOOPBACK_ADDRESSES: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** The addresses of a host, or the code of the error that the lookup ended with. */
type LookupAnswer = readonly LookupAddress[] | string;

interface SharedLookup {
  readonly addresses: Promise<readonly LookupAddress[]>;
  readonly startedAt: number;
  readonly stop: AbortController;
  users: number;
}

const lookups = new Map<string, SharedLookup>();

/**
 * A `lookup` for `net.connect` that runs `dns.lookup` in a child process, which is killed once nobody waits for it.
 * In this process, getaddrinfo can't be stopped: it holds a thread that the end of the process waits for, as long as
 * the resolver likes. The addresses of a host are used again for a minute, unless `forgetAddresses` is called.
 */
export function createLookup(signal: AbortSignal): LookupFunction {
  return (hostname, options, callback) => {
    getAddresses(hostname, { ...options, all: true }, signal).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) {
          callback(null, [...addresses]);
        } else {
          callback(null, first?.address ?? '', first?.family);
        }
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

/** Makes the next request look the host up again: its addresses may be why the last one failed. */
export function forgetAddresses(hostname: string): void {
  lookups.delete(hostname);
}

async function getAddresses(
  hostname: string,
  options: LookupAllOptions,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  if (LOCALHOST.test(hostname)) {
    return LOOPBACK_ADDRESSES;
  }
  const known = lookups.get(hostname);
  const isRecent = known !== undefined && performance.now() - known.startedAt < REUSE_MS;
  const shared = isRecent ? known : startLookup(hostname, options);
  shared.users += 1;
  signal.addEventListener(
    'abort',
    () => {
      shared.users -= 1;
      if (shared.users === 0) {
        shared.stop.abort();
      }
    },
    { once: true },
  );
  return shared.addresses;
}

function startLookup(hostname: string, options: LookupAllOptions): SharedLookup {
  const stop = new AbortController();
  const addresses = lookUp(hostname, options, stop.signal);
  const shared = { addresses, startedAt: performance.now(), stop, users: 0 };
  lookups.set(hostname, shared);
  addresses.catch(() => {
    if (lookups.get(hostname) === shared) {
      lookups.delete(hostname);
    }
  });
  return shared;
}

async function lookUp(
  hostname: string,
  options: LookupAllOptions,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const answer = (await lookUpInChild(hostname, options, signal)) ?? (await lookUpHere(hostname, options));
  if (typeof answer === 'string') {
    const syscall = 'getaddrinfo';
    throw Object.assign(new Error(`${syscall} ${answer} ${hostname}`), { code: answer, syscall, hostname });
  }
  return answer;
}

/** Undefined where the child process can't be started or ends without an answer; there it has to do without one. */
async function lookUpInChild(
  hostname: string,
  options: LookupAllOptions,
  signal: AbortSignal,
): Promise<LookupAnswer | undefined> {
  const { spawn } = await import('node:child_process');
  const answer = new Promise<LookupAnswer | undefined>((resolve) => {
    const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
    const args = [
      ...flags,
      '--input-type=commonjs',
      '--eval',
      SCRIPT,
      '--',
      hostname,
      JSON.stringify(options),
    ];
    const child = spawn(process.execPath, args, {
      env: getEnvironment(),
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const end = (result: LookupAnswer | undefined): void => {
      resolve(result);
      signal.removeEventListener('abort', onAbort);
      child.kill('SIGKILL');
      // Where no more files can be opened, there is none.
      child.stdout?.destroy();
    };
    const onAbort = (): void => end('ECANCELED');
    let output = '';
    child.unref();
    child.on('error', () => end(undefined));
    // Whoever kills the child means the run, too: a lookup in this process would hold up its end.
    child.on('close', (_, killedBy) => end(killedBy === null ? undefined : 'ECANCELED'));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT_CHARS);
      const found = parseAnswer(output);
      if (found !== undefined) {
        end(found);
      }
    });
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) {
      onAbort();
    }
  });
  return answer.catch(() => undefined);
}

/** What the resolver, the loader and preloaded modules may need, without what is none of their business. */
function getEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !CREDENTIAL.test(name)));
}

/** Reads the last line, which is complete once it ends; what a preloaded module printed before is skipped. */
export function parseAnswer(output: string): LookupAnswer | undefined {
  const line = /(?:^|\n)(.+)\n$/.exec(output)?.[1];
  const answer = line === undefined ? undefined : parseJson(line);
  if (typeof answer === 'string') {
    return /^[A-Z][A-Z0-9_]{1,31}$/.test(answer) ? answer : undefined;
  }
  return Array.isArray(answer) && answer.length > 0 && answer.every(isLookupAddress) ? answer : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isLookupAddress(value: unknown): value is LookupAddress {
  return (
    typeof value === 'object' &&
    value !== null &&
    'address' in value &&
    'family' in value &&
    typeof value.address === 'string' &&
    value.family !== 0 &&
    isIP(value.address) === value.family
  );
}

async function lookUpHere(hostname: string, options: LookupAllOptions): Promise<LookupAnswer> {
  const { lookup } = await import('node:dns');
  return new Promise((resolve) => {
    lookup(hostname, options, (error, addresses) => resolve(error?.code ?? addresses));
  });
}
