import { expectPass, startAction } from './lib/action.ts';
import {
  type Crowd,
  type Manner,
  simulateCrowd,
  toBurst,
  toRate,
  toRefusedShare,
} from './lib/crowd.ts';
import { createJobLengths, USUAL_MIX } from './lib/job-mix.ts';
import {
  createBucketLimiter,
  createWindowLimiter,
  type Limit,
  type Limiter,
} from './lib/limiter.ts';
import { type Measure, type Row, renderTable } from './lib/measure.ts';
import { SEED } from './lib/notice.ts';
import { createRandom, mean } from './lib/statistics.ts';
import { startTimedJobs } from './lib/timed-jobs.ts';

const WAITS = 200;
const PROCESSES = 50;
const MINUTE_MS = 60_000;
/** Half of the polls of these waits at a fixed interval of ten seconds. */
const GETS_PER_MINUTE = 600;
const LIMITED_MS = 15 * MINUTE_MS;
/** Fewer polls in a second bunch up by chance. */
const MIN_BURST = 10;

interface Server {
  readonly name: string;
  createLimiter(limit: Limit): Limiter;
  readonly tellsRetryAfter: boolean;
}

const SERVERS: readonly Server[] = [
  { name: 'by the minute, Retry-After', createLimiter: createWindowLimiter, tellsRetryAfter: true },
  { name: 'by the minute, plain 429', createLimiter: createWindowLimiter, tellsRetryAfter: false },
  { name: 'even rate, Retry-After', createLimiter: createBucketLimiter, tellsRetryAfter: true },
  { name: 'even rate, plain 429', createLimiter: createBucketLimiter, tellsRetryAfter: false },
];

/** A crowd at one server: with jobs of the usual mix, and with jobs that outlast the limit. */
interface Experience {
  readonly server: Server;
  readonly mixed: Crowd;
  readonly lasting: Crowd;
}

export const many: Measure = {
  name: 'many',
  description:
    'many waits on one project, against a server that limits polls per minute (virtual clock)',
  async run({ isQuick }) {
    const own = await experienceAll('action', GETS_PER_MINUTE);
    const synchronous = await experienceAll('synchronous', GETS_PER_MINUTE);
    const free = await simulateCrowd(createLastingLengths(), () => undefined, 'action');
    return {
      rows: [...toRows(own, synchronous, free), ...(await runProcesses(isQuick ? 15 : 30))],
      details: [
        `${WAITS} waits that begin within a second, ${GETS_PER_MINUTE} polls a minute; seed ${SEED}.`,
        renderDetails(own, synchronous),
        'Refused polls at other limits, jobs of the usual mix, the worst of the four servers:',
        await renderLimits(isQuick ? [300, 1_000] : [150, 300, 450, 600, 800, 1_000, 1_200]),
      ].join('\n\n'),
    };
  },
};

function experienceAll(manner: Manner, getsPerMinute: number): Promise<Experience[]> {
  return Promise.all(
    SERVERS.map(async (server) => {
      const limit = { getsPerMinute, tellsRetryAfter: server.tellsRetryAfter };
      return {
        server,
        mixed: await simulateCrowd(createMixedLengths(), server.createLimiter(limit), manner),
        lasting: await simulateCrowd(
          createLastingLengths(),
          server.createLimiter({ ...limit, untilMs: LIMITED_MS }),
          manner,
        ),
      };
    }),
  );
}

/** Jobs of the usual mix in random order. */
function createMixedLengths(): number[] {
  const random = createRandom(SEED);
  return createJobLengths(USUAL_MIX, WAITS)
    .map((length) => ({ length, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ length }) => length);
}

function createLastingLengths(): number[] {
  return Array.from({ length: WAITS }, () => 3 * LIMITED_MS);
}

function toRows(
  own: readonly Experience[],
  synchronous: readonly Experience[],
  free: Crowd,
): Row[] {
  const worst = (
    experiences: readonly Experience[],
    toValue: (experience: Experience) => number,
  ): number => Math.max(...experiences.map(toValue));
  const compare = (
    what: string,
    unit: 'percent' | 'ratio' | 'count',
    limit: number,
    toValue: (experience: Experience) => number,
    format: (value: number) => string,
  ): Row => ({
    measure: `many: ${what}`,
    reference: `synchronous, fixed 10 s: ${format(worst(synchronous, toValue))}`,
    value: worst(own, toValue),
    unit,
    limit,
    note: 'the worst of four servers',
  });
  const toPercent = (value: number): string => `${value.toFixed(1)} %`;
  const toTimes = (value: number): string => `${value.toFixed(1)} ×`;
  const recoveredFrom = LIMITED_MS + 10 * MINUTE_MS;
  const recoveredUntil = recoveredFrom + 10 * MINUTE_MS;
  const usualRate = toRate(free, recoveredFrom, recoveredUntil);
  return [
    compare(
      `waits of ${WAITS} that never end`,
      'count',
      0,
      ({ mixed, lasting }) => 2 * WAITS - mixed.delaysMs.length - lasting.delaysMs.length,
      String,
    ),
    compare(
      'refused polls, jobs of the usual mix',
      'percent',
      5,
      ({ mixed }) => 100 * toRefusedShare(mixed),
      toPercent,
    ),
    compare(
      'refused polls, no job ends for 15 min',
      'percent',
      5,
      ({ lasting }) => 100 * toRefusedShare(lasting, LIMITED_MS),
      toPercent,
    ),
    compare(
      'fullest second, against the mean around it',
      'ratio',
      5,
      ({ mixed, lasting }) => Math.max(toBurst(mixed, MIN_BURST), toBurst(lasting, MIN_BURST)),
      toTimes,
    ),
    {
      measure: 'many: interval 10 to 20 min after the limit is lifted',
      reference: 'never limited',
      value: Math.max(
        ...own.map(({ lasting }) => usualRate / toRate(lasting, recoveredFrom, recoveredUntil)),
      ),
      unit: 'ratio',
      limit: 1.25,
      note: 'the worst of four servers',
    },
  ];
}

function renderDetails(own: readonly Experience[], synchronous: readonly Experience[]): string {
  const toCells = (manner: string, { server, mixed, lasting }: Experience): string[] => [
    manner,
    server.name,
    `${(100 * toRefusedShare(mixed)).toFixed(1)} %`,
    `${(100 * toRefusedShare(lasting, LIMITED_MS)).toFixed(1)} %`,
    `${toBurst(mixed, MIN_BURST).toFixed(1)} ×`,
    `${(mean(mixed.delaysMs) / 1000).toFixed(1)} s`,
    `${(Math.max(...mixed.delaysMs) / 1000).toFixed(0)} s`,
  ];
  return renderTable([
    [
      'waits',
      'server',
      'refused, usual mix',
      'refused, no job ends',
      'fullest second',
      'mean delay',
      'longest delay',
    ],
    ...own.map((experience) => toCells('this action', experience)),
    ...synchronous.map((experience) => toCells('synchronous', experience)),
  ]);
}

async function renderLimits(limits: readonly number[]): Promise<string> {
  const rows: string[][] = [['polls a minute', 'this action', 'synchronous, fixed 10 s']];
  for (const limit of limits) {
    const cells = [];
    for (const manner of ['action', 'synchronous'] as const) {
      const shares = (await experienceAll(manner, limit)).map(({ mixed }) => toRefusedShare(mixed));
      cells.push(`${(100 * Math.max(...shares)).toFixed(1)} %`);
    }
    rows.push([String(limit), ...cells]);
  }
  return renderTable(rows);
}

/** Real processes on this machine, all started at once, against the emulator. */
async function runProcesses(longestSeconds: number): Promise<Row[]> {
  const jobs = Array.from({ length: PROCESSES }, (_, index) => ({
    projectId: `job-${index}`,
    seconds: 5 + ((longestSeconds - 5) * index) / PROCESSES,
  }));
  const { emulator, baseUrl } = await startTimedJobs(jobs, 1);
  try {
    const ends = await Promise.allSettled(
      jobs.map(({ projectId }) =>
        expectPass(
          startAction({
            baseUrl,
            inputs: { 'project-id': projectId, 'poll-interval-seconds': '2' },
          }),
        ),
      ),
    );
    const failures = ends.filter(({ status }) => status === 'rejected').length;
    const { creates, jobs: made, gets } = emulator.counts();
    return [
      {
        measure: `many: ${PROCESSES} real processes at once, runs that failed`,
        reference: '–',
        value: failures,
        unit: 'count',
        limit: 0,
        note: `${creates} create requests, ${made} jobs, ${gets} polls`,
      },
    ];
  } finally {
    await emulator.close();
  }
}
