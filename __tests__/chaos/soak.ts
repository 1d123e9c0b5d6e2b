import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ActionOptions, ActionResult } from '../../harness/action.ts';
import { active, begin, opened, success } from '../e2e/scenario.ts';
import { jobRecord, type Script, type Step, scriptedService } from '../helpers/servers.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000' },
    checks: { type: 'string', default: '10000' },
    entry: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const usage = `Runs many jobs one after the other, then one job for very long, in scaled time.

  --jobs <n>      how many jobs (default 1000)
  --checks <n>    how many checks of the long one (default 10000)
  --entry <file>  another script than dist/index.js`;

/** What soak-probe.cjs writes down. */
type Sample = Record<'requests' | 'heapMb' | 'rssMb' | 'resources' | 'listeners', number>;

const problems: string[] = [];

function check(holds: boolean, problem: string): void {
  if (!holds) problems.push(problem);
}

/** One run to a pull request, with what must hold after every run. */
async function run(script: Script, options: ActionOptions): Promise<ActionResult> {
  const service = await scriptedService(script);
  const { entry } = values;
  const { action, end } = begin(service.url, { ...options, ...(entry === undefined ? {} : { entry }) });
  const result = await action.ended;
  await end(service, success).catch((error: unknown) => {
    problems.push(`${String(error)}\n${result.stdout}${result.stderr}`);
  });
  await service.close();
  return result;
}

function findMedian(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** The medians of the first and of the last tenth, of at least five numbers each. */
function toMediansOfEnds(numbers: readonly number[]): [first: number, last: number] {
  const count = Math.max(5, Math.ceil(numbers.length / 10));
  return [findMedian(numbers.slice(0, count)), findMedian(numbers.slice(-count))];
}

async function runJobs(count: number): Promise<void> {
  const memory: number[] = [];
  const durations: number[] = [];
  const resources: number[] = [];
  for (let job = 1; job <= count; job += 1) {
    const { maxRssMb = 0, durationMs } = await run({ get: [active, active, opened] }, { timeScale: 20 });
    memory.push(maxRssMb);
    durations.push(durationMs);
    resources.push(process.getActiveResourcesInfo().length);
    if (job % 100 !== 0 && job !== count) continue;
    const parts = [
      `${job}/${count} jobs`,
      `ms each: ${Math.round(findMedian(durations.slice(-100)))}`,
      `peak MB: ${Math.round(findMedian(memory.slice(-100)))}, highest ${Math.round(Math.max(...memory))}`,
      `this process: ${Math.round(process.memoryUsage().rss / 1024 / 1024)} MB, ${resources.at(-1)} resources`,
      `problems: ${problems.length}`,
    ];
    console.log(parts.join(' | '));
  }
  const [first, last] = toMediansOfEnds(memory);
  const growth = last / first;
  console.log(`peak memory of the last jobs against the first: ${growth.toFixed(3)}`);
  check(growth < 1.1, `the peak memory of a job grew by ${growth}`);
  check((resources.at(-1) ?? 0) <= (resources[0] ?? 0) + 5, 'resources were left behind');
}

async function runLong(checks: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  const report = join(folder, 'samples');
  const trouble: Step = { status: 502, body: '<h1>Bad gateway</h1>' };
  const odd: Step = { body: jobRecord({ status: 'reviewing' }) };
  const get = Array.from({ length: checks }, (_, index) =>
    index % 10 === 3 ? trouble : index % 25 === 0 ? odd : active,
  );
  const result = await run(
    { get: [...get, opened] },
    {
      inputs: { 'timeout-minutes': '360' },
      timeScale: 50,
      timeoutMs: 3_600_000,
      preload: [fileURLToPath(new URL('./soak-probe.cjs', import.meta.url))],
      env: { SOAK_REPORT: report },
    },
  );
  const lines = readFileSync(report, 'utf8').trimEnd().split('\n');
  const samples = lines.map((line): Sample => JSON.parse(line));
  rmSync(folder, { recursive: true });

  const compare = (name: keyof Sample, spare: number): void => {
    const [before, after] = toMediansOfEnds(samples.map((sample) => sample[name]));
    console.log(`${name}: ${before} at first, ${after} at last`);
    check(after <= before + spare, `${name} grew from ${before} to ${after}`);
  };
  const minutes = Number(result.outputs['elapsed-seconds']) / 60;
  const logged = result.stdout.split('\n').length;
  const summaryBytes = Buffer.byteLength(result.summary ?? '');
  console.log(
    `${checks} checks in ${Math.round(minutes)} min of scaled time, ${Math.round(result.durationMs / 1000)} s of real time`,
  );
  compare('heapMb', 1);
  compare('rssMb', 15);
  compare('resources', 1);
  compare('listeners', 0);
  console.log(
    `peak: ${Math.round(result.maxRssMb ?? 0)} MB | ${logged} lines of log | summary of ${summaryBytes} bytes`,
  );
  check(logged <= minutes + 120, `${logged} lines of log in ${minutes} min`);
  check(summaryBytes <= 4_096, `a summary of ${summaryBytes} bytes`);
}

if (values.help) {
  console.log(usage);
} else if (!(Number(values.checks) >= 500)) {
  console.error('error: --checks must be at least 500: memory is looked at once in 250.');
  process.exitCode = 2;
} else {
  await runJobs(Number(values.jobs));
  await runLong(Number(values.checks));
  for (const problem of problems) console.log(`PROBLEM: ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
