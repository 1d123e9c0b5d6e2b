import { cpus } from 'node:os';
import { parseOptions, runCommand, UsageError } from '../emulator/options.ts';
import { end } from './end.ts';
import { isMet, type Measure, renderRows } from './lib/measure.ts';
import { longWait } from './long-wait.ts';
import { many } from './many.ts';
import { memory } from './memory.ts';
import { schedule } from './schedule.ts';
import { size } from './size.ts';
import { start } from './start.ts';

const measures: readonly Measure[] = [start, size, end, schedule, many, longWait, memory];

const PROGRESS_MS = 15_000;

const usage = `Measures the time and cost that the action adds to a job, next to a reference in the same run.

Usage: npm run bench -- [options] [measure …]

  --quick   fewer and shorter runs, to see that everything works; too few to quote or to judge
  --json    print JSON for machines instead of tables
  --help    show this text

Measures (default: all):
${measures.map(({ name, description }) => `  ${name.padEnd(10)}  ${description}`).join('\n')}

It measures the bundle in dist/, so run \`npm run build\` first. To measure the start and the memory on a
second node, set BENCH_NODE24 to its path. To compare the start of another bundle, set BENCH_ENTRY to its
path. To compare it with other actions, set BENCH_ACTIONS to a folder with clones of Codex-/await-remote-run
and coder/agents-chat-action. A missed target does not change the exit code.`;

await runCommand(async () => {
  const { isHelp, isJson, isQuick, chosen } = readArguments();
  if (isHelp) {
    console.log(usage);
    return;
  }
  const findings = [];
  for (const measure of chosen) {
    const startedAt = performance.now();
    const report = (what: string): void =>
      console.error(
        `${measure.name}: ${what}, ${Math.round((performance.now() - startedAt) / 1000)} s`,
      );
    report('started');
    const progress = setInterval(report, PROGRESS_MS, 'still running');
    const { rows, details } = await measure.run({ isQuick }).finally(() => clearInterval(progress));
    report('done');
    findings.push({ name: measure.name, rows, details });
  }
  const rows = findings.flatMap((finding) => finding.rows);
  const machine = `${process.platform} ${process.arch}, ${cpus().length} cores, Node ${process.version}`;
  if (isJson) {
    const judged = rows.map((row) => ({ ...row, met: isQuick ? undefined : isMet(row) }));
    console.log(JSON.stringify({ machine, isQuick, rows: judged }, null, 2));
    return;
  }
  for (const { name, details } of findings) {
    if (details !== undefined) {
      console.log(`## ${name}\n\n${details}\n`);
    }
  }
  console.log(`## Results (${machine}${isQuick ? ', quick' : ''})\n\n${renderRows(rows, isQuick)}`);
});

function readArguments() {
  const { values, positionals } = parseOptions({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const unknown = positionals.find((name) => !measures.some((measure) => measure.name === name));
  if (unknown !== undefined) {
    const names = measures.map(({ name }) => name).join(', ');
    throw new UsageError(`there is no measure "${unknown}". Measures: ${names}.`);
  }
  return {
    isHelp: values.help,
    isJson: values.json,
    isQuick: values.quick,
    chosen: measures.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
  };
}
