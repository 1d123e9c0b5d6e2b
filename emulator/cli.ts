import { adminKey, specialKeys } from './keys.ts';
import { formatCounts, type ReceivedRequest } from './ledger.ts';
import { CommandError, formatProjects, formatTable, parseSpeed, runCommand } from './options.ts';
import { standardProjects } from './projects.ts';
import { callNames } from './routes.ts';
import { createEmulator } from './server.ts';

const usage = `Emulates the documentation-agent service on this machine. Nothing it does costs credits.

Usage: npm run emulator -- [options]

  --port <number>   port to listen on; 0 takes a free one (default: 4010)
  --speed <number>  how many times faster than real time jobs run (default: 1)
  --help            show this text

The project id decides what happens:
${formatProjects(standardProjects)}`;

const options = {
  port: { type: 'string', default: '4010' },
  speed: { type: 'string', default: '1' },
} as const;

await runCommand(usage, { options }, async ({ values }) => {
  const emulator = createEmulator({
    speed: parseSpeed(values.speed),
    onDecision: (request) => console.log(formatRequest(request)),
  });
  const url = await emulator.listen(Number(values.port)).catch((error: Error) => {
    throw new CommandError(`${error.message}. Choose another --port (0 takes a free one).`);
  });
  console.log(formatWelcome(url));
  await new Promise((resolve) => {
    process.once('SIGINT', resolve).once('SIGTERM', resolve);
  });
  await emulator.close();
  console.log(`\nStopped. Received ${formatCounts(emulator.counts())}.`);
});

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

Or start a job:
  curl ${url}/v2/agent/quick/job -H 'Authorization: Bearer ${adminKey}' -H 'Content-Type: application/json' -d '{"prompt":"Describe what is new"}'

Calls:
${callNames.map((name) => `  ${name}`).join('\n')}

Projects:
${formatProjects(standardProjects)}

Keys:
${formatTable(keys)}

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
