import { adminKey, specialKeys } from './keys.ts';
import { formatCounts, type ReceivedRequest } from './ledger.ts';
import {
  formatProjects,
  formatTable,
  parseOptions,
  parseSpeed,
  runCommand,
  UsageError,
} from './options.ts';
import { standardProjects } from './projects.ts';
import { createEmulator } from './server.ts';

const usage = `Emulates the documentation-agent service on this machine. Nothing it does costs credits.

Usage: npm run emulator -- [options]

  --port <number>   port to listen on; 0 takes a free one (default: 4010)
  --host <address>  address to listen on (default: 127.0.0.1, this machine only); the action needs
                    https to reach it from another machine
  --speed <number>  how many times faster than real time jobs run (default: 1)
  --help            show this text

The project id decides what happens:
${formatProjects(standardProjects)}`;

await runCommand(async () => {
  const { values: options } = parseOptions({
    options: {
      port: { type: 'string', default: '4010' },
      host: { type: 'string', default: '127.0.0.1' },
      speed: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (options.help) {
    console.log(usage);
    return;
  }
  const port = parsePort(options.port);
  const emulator = createEmulator({
    speed: parseSpeed(options.speed),
    onDecision: (request) => console.log(formatRequest(request)),
  });
  let url: string;
  try {
    url = await emulator.listen(port, options.host);
  } catch (error) {
    console.error(`error: ${explainListenError(error, port, options.host)}`);
    process.exitCode = 1;
    return;
  }
  // The action accepts http only at an address of this machine, which the one of all interfaces isn't.
  console.log(
    formatWelcome(url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')),
  );

  await new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM']) {
      process.on(name, resolve);
    }
  });
  await emulator.close();
  console.log(`\nStopped. Received ${formatCounts(emulator.counts())}.`);
});

function parsePort(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) {
    return Number(value);
  }
  throw new UsageError(`--port must be a whole number from 0 to 65535, not "${value}".`);
}

function explainListenError(error: unknown, port: number, host: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return `port ${port} of ${host} is in use. Stop the program that uses it, or choose another port with --port (0 takes a free one).`;
  }
  if (code === 'EACCES') {
    return `this user can't use port ${port}. Choose a port above 1023 with --port.`;
  }
  return `cannot listen on ${host}: ${error instanceof Error ? error.message : String(error)}. Check --host.`;
}

function formatWelcome(url: string): string {
  const keys: [string, string][] = [
    [adminKey, 'an admin key, as is any other mint_… key'],
    ...specialKeys.map(({ key, description }): [string, string] => [key, description]),
  ];
  return `The documentation-agent service is emulated at ${url} (Ctrl+C stops it).

Point the action at it:
  base-url: ${url}
  api-key: ${adminKey}
  project-id: quick

Projects:
${formatProjects(standardProjects)}

Keys:
${formatTable(keys, '  ')}

Requests:`;
}

function formatRequest({
  receivedAtMs,
  method,
  path,
  route,
  jobId,
  status,
}: ReceivedRequest): string {
  const time = new Date(receivedAtMs).toISOString().slice(11, 19);
  const what = route
    ? `${route.call.padEnd(9)}  ${route.projectId}`
    : `${method} ${path.slice(0, 100)}`;
  const job = jobId ?? (route && 'jobId' in route ? route.jobId : undefined);
  // An id from a path can hold any character.
  const line = `${time}  ${what}  ${status ?? 'dropped'}${job === undefined ? '' : `  job ${job}`}`;
  return line.replace(/[^\x20-\x7e]/g, '?').slice(0, 300);
}
