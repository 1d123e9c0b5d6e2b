import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JobRecord, Project } from '../emulator/behavior.ts';
import { createEmulator } from '../emulator/server.ts';
import { startAction } from './lib/action.ts';
import type { Measure, Row } from './lib/measure.ts';
import { median } from './lib/statistics.ts';

const heapSamples = fileURLToPath(new URL('lib/heap-samples.cjs', import.meta.url));
const SUMMARY_LIMIT = 64 * 1024;
/** Lines that a run may log besides its heartbeat: start, statuses, failures, prompt, result. */
const OTHER_LINES = 100;

interface Scenario {
  readonly name: string;
  readonly project: Project;
  readonly pollIntervalSeconds: number;
  readonly timeoutMinutes: number;
  readonly timeScale: number;
}

interface Outcome {
  readonly scenario: Scenario;
  readonly gets: number;
  readonly elapsedSeconds: number;
  readonly heap: readonly number[];
  readonly lines: number;
  readonly summaryBytes: number;
}

export const longWait: Measure = {
  name: 'long-wait',
  description: 'one hour, six hours and 10,000 polls in scaled time: heap, log, summary, deadline',
  async run({ isQuick }) {
    const polls = isQuick ? 1_500 : 10_000;
    const speedUp = isQuick ? 6 : 1;
    const scenarios: Scenario[] = [
      createQuietScenario('1 h', 60, 100 * speedUp),
      createQuietScenario('6 h', 360, 200 * speedUp),
      {
        name: `${polls.toLocaleString('en-US')} polls`,
        project: createRestlessProject(polls),
        pollIntervalSeconds: 1,
        timeoutMinutes: 360,
        timeScale: 120,
      },
    ];
    const emulator = createEmulator({ projects: scenarios.map(({ project }) => project) });
    const baseUrl = await emulator.listen();
    const folder = await mkdtemp(join(tmpdir(), 'bench-long-wait-'));
    try {
      const outcomes = await Promise.all(
        scenarios.map(async (scenario, index): Promise<Outcome> => {
          const heapFile = join(folder, String(index));
          const { elapsedSeconds, ...rest } = await runScenario(scenario, baseUrl, heapFile);
          const { gets } = emulator.counts(scenario.project.id);
          return { scenario, gets, elapsedSeconds, ...rest };
        }),
      );
      return { rows: outcomes.flatMap(toRows) };
    } finally {
      await emulator.close();
      await rm(folder, { recursive: true });
    }
  },
};

function createQuietScenario(name: string, timeoutMinutes: number, timeScale: number): Scenario {
  const project = { id: name.replace(' ', '-'), description: 'stays active forever', stages: [] };
  return { name, project, pollIntervalSeconds: 10, timeoutMinutes, timeScale };
}

/**
 * A job with a new status at every poll, a fault at every seventh, and an end after `polls` polls.
 */
function createRestlessProject(polls: number): Project {
  let count = 0;
  const answer = (response: ServerResponse, record: JobRecord | undefined): void => {
    count += 1;
    const status = count < polls ? `phase-${count}` : 'completed';
    const isFault = count % 7 === 0 && count < polls;
    response.writeHead(isFault ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isFault ? { error: `fault ${count}` } : { ...record, status }));
  };
  return {
    id: 'restless',
    description: 'never stays the same',
    stages: [],
    replies: { get: [{ kind: 'custom', answer }] },
  };
}

async function runScenario(scenario: Scenario, baseUrl: string, heapFile: string) {
  const { ended } = startAction({
    baseUrl,
    inputs: {
      'project-id': scenario.project.id,
      'poll-interval-seconds': String(scenario.pollIntervalSeconds),
      'timeout-minutes': String(scenario.timeoutMinutes),
    },
    preload: [heapSamples],
    timeScale: scenario.timeScale,
    env: { HEAP_SAMPLES_FILE: heapFile },
  });
  const { outputs, stdout, summary = '' } = await ended;
  return {
    elapsedSeconds: Number(outputs['elapsed-seconds']),
    heap: JSON.parse(await readFile(heapFile, 'utf8')) as number[],
    lines: stdout.split('\n').length - 1,
    summaryBytes: Buffer.byteLength(summary),
  };
}

function toRows({ scenario, gets, elapsedSeconds, heap, lines, summaryBytes }: Outcome): Row[] {
  const { name, timeoutMinutes } = scenario;
  const quarter = Math.ceil(heap.length / 4);
  const minutes = Math.round(elapsedSeconds / 60);
  const isTimedOut = elapsedSeconds >= timeoutMinutes * 60;
  return [
    {
      measure: `long wait, ${name}: heap of the last quarter`,
      reference: 'the second quarter',
      value: median(heap.slice(-quarter)) / median(heap.slice(quarter, 2 * quarter)),
      unit: 'exact',
      limit: 1.05,
      note: `${gets} polls, ${minutes} min, ${heap.length} samples`,
    },
    {
      measure: `long wait, ${name}: lines of the log`,
      reference: `${minutes} min, a heartbeat each`,
      value: lines,
      unit: 'count',
      limit: minutes + OTHER_LINES,
    },
    {
      measure: `long wait, ${name}: bytes of the summary`,
      reference: '–',
      value: summaryBytes,
      unit: 'count',
      limit: SUMMARY_LIMIT,
    },
    ...(isTimedOut
      ? [
          {
            measure: `long wait, ${name}: end`,
            reference: `the deadline, ${timeoutMinutes * 60} s`,
            value: elapsedSeconds / (timeoutMinutes * 60),
            unit: 'exact' as const,
            limit: 1.005,
            note: `${elapsedSeconds} s`,
          },
        ]
      : []),
  ];
}
