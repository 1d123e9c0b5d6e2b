import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGitHubApi } from '../__tests__/github/api.ts';
import { createSampleRepositories, sampleToken } from '../__tests__/github/sample.ts';
import { type Project, toJsonError } from '../emulator/behavior.ts';
import { adminKey } from '../emulator/keys.ts';
import { standardProjects } from '../emulator/projects.ts';
import { createEmulator } from '../emulator/server.ts';
import { createAuthority } from '../harness/certificates.ts';
import { createLogView } from './demo/log-view.ts';
import { runAction } from './demo/runner.ts';

export interface Scene {
  readonly name: string;
  readonly project: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** How many times faster than real time the run is. */
  readonly timeScale?: number;
  /** True if the run uses the emulator at its own address, not at the address of the service. */
  readonly isRehearsal?: boolean;
  /** Milliseconds until the run is canceled. */
  readonly cancelAfterMs?: number;
  /** False if the run must not read or write commit statuses. */
  readonly hasStatuses?: boolean;
  readonly inDocs?: boolean;
}

const prompt =
  'Update the documentation for the release v1.2.0. Describe what is new and what changed for users.';
const rerun = { GITHUB_RUN_ATTEMPT: '2' };
const down = toJsonError(503, 'Service unavailable');

/** Faults that no project of the emulator has. */
const badDays: readonly Project[] = [
  refuse('no-credits', 402, 'Insufficient credits'),
  refuse('no-plan', 403, 'This feature requires a Pro plan'),
  refuse('down', 503, 'Service unavailable'),
  refuse('limit', 429, 'Too many requests', { 'retry-after': '7200' }),
  { id: 'polls-fail', description: '', stages: [], replies: { get: [{ kind: 'proper' }, down] } },
];

export const scenes: readonly Scene[] = [
  { name: 'pull-request-opened', project: 'quick', inDocs: true },
  { name: 'timed-out', project: 'endless', timeScale: 60, inDocs: true },
  { name: 'rehearsal', project: 'quick', isRehearsal: true },
  { name: 'second-job', project: 'quick', env: rerun, hasStatuses: false },
  { name: 'no-permission', project: 'endless', timeScale: 200, hasStatuses: false },
  { name: 'timed-out-unread', project: 'polls-fail', timeScale: 200 },
  { name: 'no-pull-request', project: 'no-change' },
  { name: 'archived', project: 'archived' },
  { name: 'started', project: 'slow', inputs: { wait: 'false' } },
  { name: 'dry-run', project: 'quick', inputs: { 'dry-run': 'true' } },
  { name: 'skipped', project: 'quick', inputs: { paths: 'api/**' } },
  { name: 'canceled', project: 'endless', timeScale: 1, cancelAfterMs: 3_000 },
  { name: 'failed', project: 'failing' },
  { name: 'failed-with-link', project: 'failed-with-link' },
  { name: 'start-unknown', project: 'unreadable' },
  { name: 'not-started', project: 'no-such-project' },
  { name: 'no-credits', project: 'no-credits' },
  { name: 'no-plan', project: 'no-plan' },
  { name: 'down', project: 'down' },
  { name: 'limit', project: 'limit' },
  { name: 'wrong-key', project: 'quick', inputs: { 'api-key': 'mint_emulator_expired_key_0001' } },
  { name: 'reuse-unknown', project: 'quick', inputs: { reuse: 'release' }, hasStatuses: false },
  { name: 'invalid-input', project: 'a/b', inputs: { wait: 'maybe', prompt: '' } },
  { name: 'fork', project: 'quick', inputs: { 'api-key': '' } },
  { name: 'lost', project: 'quick', inputs: { prompt: '', 'job-id': 'gone' } },
  { name: 'flaky', project: 'flaky' },
  { name: 'rate-limited', project: 'rate-limited' },
  { name: 'hostile', project: 'hostile' },
];

// Time passes faster for the action, and a little less so for the jobs: three seconds of a job
// become four minutes.
const TIME_SCALE = 15;
const JOB_SLOWNESS = 80;
const SERVICE_HOST = 'api.mintlify.com';

const preload = fileURLToPath(new URL('../harness/scaled-time.cjs', import.meta.url)).replaceAll(
  '\\',
  '/',
);

/** Returns the log as a runner shows it, and the summary, of one run of the built action. */
export async function record(scene: Scene): Promise<{ log: string[]; summary: string }> {
  const { project, inputs, env, timeScale = TIME_SCALE, isRehearsal, cancelAfterMs } = scene;
  const permissions = { contents: 'read', 'pull-requests': 'read' } as const;
  const projects = [...standardProjects, ...badDays];
  const emulator = createEmulator({ projects, speed: timeScale / JOB_SLOWNESS });
  const github = createGitHubApi({
    repositories: createSampleRepositories(),
    token: sampleToken,
    ...(scene.hasStatuses === false ? { permissions } : {}),
  });
  const baseUrl = await emulator.listen();
  const front = await openFront(baseUrl);
  process.env['NODE_OPTIONS'] = `--require "${preload}"`;
  process.env['TIME_SCALE'] = String(timeScale);
  const log: string[] = [];
  const view = createLogView({ color: false, debug: false });
  const given = {
    prompt,
    'project-id': project,
    'api-key': adminKey,
    'github-token': sampleToken,
    ...(isRehearsal ? { 'base-url': baseUrl } : {}),
    ...inputs,
  };
  try {
    const { summary } = await runAction({
      node: process.execPath,
      inputs: given,
      env: { ...front.env, ...env },
      apiUrl: await github.listen(),
      debug: false,
      cancelSignal:
        cancelAfterMs === undefined
          ? new AbortController().signal
          : AbortSignal.timeout(cancelAfterMs),
      onLine: (line) => {
        log.push(...(view(line)?.split('\n') ?? []));
      },
    });
    return { log, summary };
  } finally {
    await Promise.all([emulator.close(), github.close(), front.close()]);
  }
}

function refuse(id: string, status: number, error: string, headers = {}): Project {
  return {
    id,
    description: '',
    stages: [],
    replies: { create: [toJsonError(status, error, headers)] },
  };
}

/**
 * Opens a proxy from the service's own address to the emulator, so that a run looks like a real
 * one.
 */
async function openFront(baseUrl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'front-'));
  const authority = createAuthority();
  const authorityFile = join(folder, 'authority.pem');
  writeFileSync(authorityFile, authority.cert);
  const service = createTlsServer(authority.issue([SERVICE_HOST]), (incoming, response) => {
    const { method, headers } = incoming;
    const onward = request(new URL(incoming.url ?? '/', baseUrl), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  const servicePort = await listen(service);
  const proxy = createServer().on('connect', (_, socket) => {
    const onward = connect(servicePort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [socket, onward]) end.on('error', () => end.destroy());
  });
  const proxyPort = await listen(proxy);
  return {
    env: { HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`, NODE_EXTRA_CA_CERTS: authorityFile },
    async close(): Promise<void> {
      service.closeAllConnections();
      proxy.closeAllConnections();
      for (const server of [service, proxy]) server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
