import { expectPass, startAction } from './lib/action.ts';
import { createJobLengths, type JobMix, USUAL_MIX } from './lib/job-mix.ts';
import { type Measure, type Row, renderTable } from './lib/measure.ts';
import {
  type NoticeFigures,
  POLL_INTERVAL_MS,
  SEED,
  simulateNotices,
  toFigures,
  toFixedNotices,
} from './lib/notice.ts';
import { sum } from './lib/statistics.ts';
import { startTimedJobs } from './lib/timed-jobs.ts';

const FIXED_SECONDS = [5, 10, 15, 30] as const;
const TIME_SCALE = 20;

export const schedule: Measure = {
  name: 'schedule',
  description:
    'delay and number of polls over a mix of job lengths, against fixed intervals (virtual clock)',
  async run({ isQuick }) {
    const count = isQuick ? 20_000 : 100_000;
    const lengths = createJobLengths(USUAL_MIX, count);
    const own = toFigures(await simulateNotices(lengths));
    const fixed = FIXED_SECONDS.map((seconds) => [
      `fixed ${seconds} s`,
      ...toCells(toFigures(toFixedNotices(lengths, seconds * 1000))),
    ]);
    return {
      rows: [
        ...toRows(own, toFigures(toFixedNotices(lengths, POLL_INTERVAL_MS))),
        await confirm(isQuick ? 4 : 8),
      ],
      details: [
        `${count} job lengths, ${describeMix(USUAL_MIX)}; seed ${SEED}.`,
        renderTable([
          ['interval', 'polls per job', 'mean delay', 'jobs under 30 s'],
          ...fixed,
          ['this action, 10 s', ...toCells(own)],
        ]),
        'The action against the fixed 10 s interval for other mixes:',
        await renderSensitivity(isQuick ? 5_000 : 20_000),
      ].join('\n\n'),
    };
  },
};

function toRows(own: NoticeFigures, reference: NoticeFigures): Row[] {
  const toRow = (what: string, key: keyof NoticeFigures, limit: number, unit: string): Row => ({
    measure: `schedule: ${what}`,
    reference: `fixed 10 s: ${reference[key].toFixed(2)}${unit}`,
    value: own[key] / reference[key],
    unit: 'exact',
    limit,
    note: `${own[key].toFixed(2)}${unit}`,
  });
  return [
    toRow('polls per job', 'gets', 1.05, ''),
    toRow('mean delay', 'delaySeconds', 1, ' s'),
    toRow('mean delay, jobs under 30 s', 'shortDelaySeconds', 0.5, ' s'),
  ];
}

/** Checks that real processes in scaled time poll about as often as the simulation. */
async function confirm(count: number): Promise<Row> {
  const jobs = createJobLengths({ ...USUAL_MIX, sigma: 0.8 }, count).map((lengthMs, index) => ({
    projectId: `job-${index}`,
    seconds: lengthMs / 1000,
  }));
  const { emulator, baseUrl } = await startTimedJobs(jobs, TIME_SCALE);
  try {
    const running = jobs.map(({ projectId }) =>
      startAction({
        baseUrl,
        inputs: { 'project-id': projectId },
        timeScale: TIME_SCALE,
      }),
    );
    await Promise.all(running.map(expectPass));
    const real = sum(jobs.map(({ projectId }) => emulator.counts(projectId).gets));
    const many = Array.from({ length: 500 }, () =>
      jobs.map(({ seconds }) => seconds * 1000),
    ).flat();
    const simulated = toFigures(await simulateNotices(many)).gets * jobs.length;
    return {
      measure: 'schedule: polls of real processes, scaled time',
      reference: `simulated: ${simulated.toFixed(1)}`,
      value: real / simulated,
      unit: 'ratio',
      limit: 1.05,
      note: `${real} polls of ${jobs.length} processes`,
    };
  } finally {
    await emulator.close();
  }
}

function toCells({ gets, delaySeconds, shortDelaySeconds }: NoticeFigures): string[] {
  return [gets.toFixed(1), `${delaySeconds.toFixed(2)} s`, `${shortDelaySeconds.toFixed(2)} s`];
}

async function renderSensitivity(count: number): Promise<string> {
  const mixes: JobMix[] = [
    { ...USUAL_MIX, beyond: 'left out' },
    { ...USUAL_MIX, sigma: 1 },
    { ...USUAL_MIX, sigma: 1.5 },
    { ...USUAL_MIX, medianSeconds: 120 },
    { ...USUAL_MIX, medianSeconds: 480 },
  ];
  const rows: string[][] = [['mix', 'polls', 'mean delay', 'jobs under 30 s']];
  for (const mix of mixes) {
    const lengths = createJobLengths(mix, count);
    const own = toFigures(await simulateNotices(lengths));
    const fixed = toFigures(toFixedNotices(lengths, POLL_INTERVAL_MS));
    rows.push([
      describeMix(mix),
      ...(['gets', 'delaySeconds', 'shortDelaySeconds'] as const).map(
        (key) => `${(own[key] / fixed[key]).toFixed(3)} ×`,
      ),
    ]);
  }
  return renderTable(rows);
}

function describeMix({ medianSeconds, sigma, beyond }: JobMix): string {
  return `log-normal, median ${medianSeconds / 60} min, sigma ${sigma}, beyond 3 s to 60 min ${beyond}`;
}
