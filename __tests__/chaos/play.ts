import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import {
  type ActionOptions,
  type ActionResult,
  type RunningAction,
  runAction,
} from '../../harness/action.ts';
import { authority, faultInside, jobId, key, trusting } from '../e2e/scenario.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import {
  connectProxy,
  type Listener,
  relay,
  type ScriptedService,
  type SeenRequest,
  scriptedService,
} from '../helpers/servers.ts';
import type { Schedule } from './schedule.ts';
import { isRecord, mayHaveEffect, passingOutcomes, type StepName, steps } from './steps.ts';

const host = 'api.example.test';
const tls = authority.issue(['localhost', host]);

/**
 * The real time that a busy machine may take to start and end a process, and to pass on a request.
 */
const START_AND_END_MS = 15_000;
const SLACK_MS = 3_000;

export interface Play {
  readonly outcome: string;
  /** The promise that the run broke, if any. */
  readonly violation: string | undefined;
  readonly log: string;
}

/** Plays a schedule against the bundle, and checks the invariants. */
export async function play(schedule: Schedule): Promise<Play> {
  const listeners: Listener[] = [];
  try {
    const reach = await open(schedule, listeners);
    const action = runAction(toOptions(schedule, reach));
    const heardMs = await disturb(action, schedule);
    const result = await action.ended;
    return {
      outcome: result.signal ?? result.outputs['outcome'] ?? 'none',
      violation: await expectAll(schedule, result, reach, heardMs).then(() => undefined, String),
      log: `${result.stdout}${result.stderr}`,
    };
  } finally {
    await Promise.all(listeners.map((listener) => listener.close()));
  }
}

/**
 * The service, its address for the action, and the connections to the first server on the way to
 * it.
 */
interface Reach {
  readonly service: ScriptedService;
  readonly url: string;
  readonly env: Record<string, string>;
  readonly countConnections: () => number;
}

async function open(schedule: Schedule, listeners: Listener[]): Promise<Reach> {
  const keep = <T extends Listener>(listener: T): T => {
    listeners.push(listener);
    return listener;
  };
  const posts = schedule.posts.map((name) => ({ ...steps[name], madeJob: mayHaveEffect(name) }));
  const script = { create: posts, followUp: posts, get: schedule.gets.map((name) => steps[name]) };
  const door = schedule.refusedMs === 0 ? {} : { openAfterMs: schedule.refusedMs };
  if (schedule.transport === 'http') {
    const service = keep(await scriptedService(script, door));
    return { service, url: service.url, env: {}, countConnections: () => service.connections };
  }
  const service = keep(await scriptedService(script, { tls }));
  if (schedule.transport === 'proxy') {
    const proxy = keep(await connectProxy([...schedule.proxy], service.port, door));
    const env = { HTTPS_PROXY: proxy.url };
    return { service, url: `https://${host}`, env, countConnections: () => proxy.connects.length };
  }
  const held =
    schedule.heldMs === 0
      ? {}
      : { holdFirst: { connections: schedule.resets + 1, ms: schedule.heldMs } };
  const refuse = (connection: number) => (connection <= schedule.resets ? 'reset' : undefined);
  const gate = keep(await relay(service.port, { ...door, ...held, refuse }));
  const countConnections = (): number => gate.connections;
  return { service, url: `https://localhost:${gate.port}`, env: {}, countConnections };
}

function toOptions(schedule: Schedule, { url, env }: Reach): ActionOptions {
  const { intent, clockJump } = schedule;
  return {
    inputs: {
      prompt: intent === 'attach' ? '' : 'Describe what is new.',
      'job-id': intent === 'create' ? '' : jobId,
      'project-id': 'docs',
      'api-key': key,
      'base-url': url,
      'poll-interval-seconds': String(schedule.pollSeconds),
      'timeout-minutes': (schedule.timeoutSeconds / 60).toFixed(6),
      wait: String(schedule.isWaiting),
    },
    timeScale: schedule.timeScale,
    ...trusting,
    outputFile: schedule.outputFile,
    summaryFile: schedule.summaryFile,
    env: {
      ...env,
      INSIDE: schedule.inside,
      INSIDE_MESSAGE: `::set-output name=a::b ##[error]${key}`,
    },
    ...(clockJump === undefined ? {} : { clockJump }),
    ...(schedule.inside === undefined ? {} : { preload: [faultInside] }),
  };
}

/**
 * Sends the signals and stops of the schedule. Returns the time when the process has received the
 * first signal.
 */
async function disturb(action: RunningAction, { disturbances }: Schedule): Promise<number> {
  const signalsAtMs: number[] = [];
  const stops: { fromMs: number; toMs: number }[] = [];
  await action.waitForLog(/./).catch(() => undefined);
  await Promise.all(
    disturbances.map(async (disturbance) => {
      await Promise.race([sleep(disturbance.atMs), action.ended]);
      if ('signal' in disturbance) {
        await action.signal(disturbance.signal);
        signalsAtMs.push(performance.now());
      } else if (process.platform !== 'win32') {
        const fromMs = performance.now();
        await action.signal('SIGSTOP');
        await sleep(disturbance.stoppedMs);
        await action.signal('SIGCONT');
        stops.push({ fromMs, toMs: performance.now() });
      }
    }),
  );
  const heardMs = Math.min(...signalsAtMs) + SLACK_MS;
  const isSlept = stops.some(({ fromMs }) => fromMs <= heardMs);
  return isSlept ? Math.max(heardMs, ...stops.map(({ toMs }) => toMs + SLACK_MS)) : heardMs;
}

async function expectAll(
  schedule: Schedule,
  result: ActionResult,
  { service, countConnections }: Reach,
  heardMs: number,
): Promise<void> {
  const posts = service.requests.filter(({ call }) => call === 'create' || call === 'follow-up');
  const effects = posts.filter((_, index) => mayHaveEffect(nameStep(schedule.posts, index))).length;
  const deadlineMs = (schedule.timeoutSeconds * 1_000) / schedule.timeScale;
  const stops = schedule.disturbances.map((item) => ('stoppedMs' in item ? item.stoppedMs : 0));
  const stoppedMs = stops.reduce((sum, ms) => sum + ms, 0);
  expectInvariants(result, {
    key,
    creates: posts.length,
    jobs: effects,
    withinMs: deadlineMs + 2_000 / schedule.timeScale + stoppedMs + START_AND_END_MS,
    areOutputsWritten: schedule.outputFile === 'file',
  });
  expectNoStrayRequest(schedule, service, countConnections());
  expectNoLatePost(posts, deadlineMs, heardMs);
  if (result.signal !== null) expectTraceOfKilled(result, service);
  else if (schedule.outputFile !== 'file')
    expect(posts, 'requests without a file for the outputs').toEqual([]);
  else expectTrueOutcome(schedule, result, service, effects);
}

/** Returns the name of the step that answered the request with this index. */
function nameStep(names: readonly StepName[], index: number): StepName {
  return names[Math.min(index, names.length - 1)] ?? 'active';
}

function expectNoStrayRequest(
  schedule: Schedule,
  service: ScriptedService,
  connections: number,
): void {
  const calls = new Set(service.requests.map(({ call }) => call));
  calls.delete('get');
  if (schedule.intent !== 'attach') calls.delete(schedule.intent);
  expect([...calls], 'calls that the schedule does not ask for').toEqual([]);
  const tries =
    5 * (service.creates + service.seen('follow-up').length + 1) + schedule.timeoutSeconds + 5;
  expect(connections, 'connections').toBeLessThanOrEqual(tries + service.seen('get').length);
}

function expectNoLatePost(posts: SeenRequest[], deadlineMs: number, heardMs: number): void {
  const firstMs = posts[0]?.atMs ?? 0;
  const lastMs = posts.at(-1)?.atMs ?? 0;
  expect(lastMs - firstMs, 'time from the first create request to the last').toBeLessThanOrEqual(
    deadlineMs + SLACK_MS,
  );
  expect(lastMs, 'time of the last create request, against that of the signal').toBeLessThanOrEqual(
    heardMs,
  );
}

/** Only SIGKILL may end the process before it reports its outcome. */
function expectTraceOfKilled(result: ActionResult, service: ScriptedService): void {
  if (result.signal !== 'SIGKILL') {
    const hasSpoken =
      result.annotations.errors.length > 0 || result.outputs['outcome'] !== undefined;
    expect(hasSpoken, `outcome of a run that ${result.signal} ended`).toBe(true);
  }
  if (service.seen('get').length > 0)
    expect(result.outputs['job-id'], 'id after a kill').toBe(jobId);
}

/** Checks that the outcome doesn't claim more than the service knows. */
function expectTrueOutcome(
  schedule: Schedule,
  { exitCode, outputs, stdout, summary = '' }: ActionResult,
  service: ScriptedService,
  effects: number,
): void {
  const { outcome = '' } = outputs;
  const last = service.requests.at(-1);
  const gets = service.seen('get').length;
  const lastPost = nameStep(schedule.posts, service.requests.length - gets - 1);
  const lastStep = last?.call === 'get' ? nameStep(schedule.gets, gets - 1) : lastPost;
  if (exitCode === 0 && schedule.isWaiting) {
    expect(last?.call, 'the last call of a run that passes').toBe('get');
    const hasLink = [lastPost, ...schedule.gets].includes('completed, link');
    const passing = [passingOutcomes[lastStep], ...(hasLink ? ['pull-request-opened'] : [])];
    expect(passing, `outcome after '${lastStep}'`).toContain(outcome);
  }
  if (exitCode === 0 && !schedule.isWaiting) {
    const proof = schedule.intent === 'attach' ? lastStep : lastPost;
    expect(isRecord(proof), `success on '${proof}'`).toBe(true);
  }
  const claimsNoJob = outcome === 'not-started' || summary.includes('started no job');
  if (claimsNoJob && schedule.intent === 'create')
    expect(effects, 'jobs of a run that started none').toBe(0);
  const isGivenUp =
    schedule.disturbances.length > 0 || stdout.includes('no complete response within');
  if (outcome === 'start-unknown' && schedule.inside === undefined && !isGivenUp) {
    expect(effects, 'create requests that may have had an effect').toBe(1);
  }
  const isKnown = service.seen('get').length > 0 || schedule.intent !== 'create';
  if (isKnown && outcome !== 'not-started') expect(outputs['job-id'], 'job-id').toBe(jobId);
}
