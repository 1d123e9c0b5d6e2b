import { cpus } from 'node:os';
import { parseOptions, runCommand, UsageError } from '../emulator/options.ts';
import { crowd } from './crowd.ts';
import { type Measure, type Row, renderRows } from './measure.ts';
import { size } from './size.ts';
import { start } from './start.ts';

const measures: readonly Measure[] = [start, size, crowd];

const usage = `Measures the bundle in dist/, next to references in the same run.

Usage: npm run bench -- [options] [measure …]

  --quick   fewer runs, to see that everything works; too few to quote or to judge
  --help    show this text

Measures (default: all):
${measures.map(({ name, description }) => `  ${name.padEnd(7)} ${description}`).join('\n')}

Run \`npm run build\` first. To compare the start with other actions, set BENCH_ACTIONS to a folder with
clones of Codex-/await-remote-run and coder/agents-chat-action. A missed target does not change the exit code.`;

await runCommand(async () => {
  const { values, positionals } = parseOptions({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const unknown = positionals.find((name) => !measures.some((measure) => measure.name === name));
  if (unknown !== undefined) {
    const names = measures.map(({ name }) => name).join(', ');
    throw new UsageError(`there is no measure "${unknown}". Measures: ${names}.`);
  }
  const rows: Row[] = [];
  for (const { name, run } of measures) {
    if (positionals.length > 0 && !positionals.includes(name)) {
      continue;
    }
    console.error(`Measuring ${name} …`);
    rows.push(...(await run(values.quick)));
  }
  const machine = `${process.platform} ${process.arch}, ${cpus().length} cores, Node ${process.version}`;
  console.log(`${machine}${values.quick ? ', quick' : ''}\n\n${renderRows(rows, values.quick)}`);
});
