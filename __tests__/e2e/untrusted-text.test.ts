import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import type { ActionResult } from '../harness/action.ts';
import { parseCommands } from '../harness/runner-commands.ts';
import { jobRecord } from '../helpers/servers.ts';
import { active, debugging, key, link, play, success, withoutLink } from './scenario.ts';

// After every run, the invariants look for the key in the log, the outputs, and the summary.
// property/text.test.ts shows every form of it, unit/service/job.test.ts every field.
const forms = [key, btoa(`Bearer ${key}`), key.replace('_', '%5F'), key.slice(0, -3)].join(' ');
const headers = { 'x-note': key, 'content-type': `application/json; note=${key}` };

const nasty = [
  '$x$ $$y$$ $`z`$\r::set-output name=status::completed\n##[add-mask]completed ::stop-commands::t',
  '\n::add-mask::completed\r\n::error::gotcha\u2028::notice::gotcha\u0085::warning::gotcha',
  '\n:\u200b:save-state name=a::b\n#\u00ad#[set-env name=PATH]/tmp\n\t ::add-path::/tmp',
  '\n::endgroup::\n::echo::on\n%0A::error::gotcha%0D##[error]gotcha',
  '</details>\n# Title\n| a | b |\n[click](https://evil.test) <img src=x> ```\n',
  `${forms}\n`,
].join('');

/** Returns a record with hostile text and the key in every field except the id. */
function nastyRecord(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return jobRecord({
    status: nasty,
    source: { repository: nasty, ref: nasty, [nasty]: nasty },
    model: nasty,
    prLink: nasty,
    createdAt: nasty,
    archivedAt: nasty,
    [nasty]: nasty,
    ...changes,
  });
}

/** Checks that no untrusted text became a command, a link, a tag, or a formula. */
function expectInert({ commands, stdout, summary = '' }: ActionResult, ...own: string[]): void {
  const names = commands.filter(({ name }) => name !== 'debug').map(({ name }) => name);
  expect(names).toEqual(['add-mask', 'group', 'endgroup', ...own]);
  // The toolkit ends commands with the line end of the platform.
  expect(stdout).not.toMatch(process.platform === 'win32' ? /\r(?!\n)/ : /\r/);
  expect(summary).not.toContain('<img');
  const text = summary.replace(/<pre>[\s\S]*<\/pre>/, '');
  expect(text).not.toContain('](https://evil.test)');
  const withoutCode = text.replace(/(?<!\\)`[^`]*`/g, '');
  expect(withoutCode.replaceAll('<span>$</span>', '')).not.toContain('$');
}

it('hostile text and the key stay inert in every response of a run that succeeds', async () => {
  const wait = { ...headers, 'retry-after': '1' };
  const busy = { status: 429, headers: wait, body: { error: nasty } };
  const html = { ...headers, 'content-type': 'text/html' };
  const get = [
    busy,
    { status: 500, headers, body: { error: nasty } },
    { status: 502, headers: html, body: nasty },
    active,
    { headers, body: nastyRecord() },
    { headers, body: nastyRecord({ status: `${'x'.repeat(240)}${forms}` }) },
    { headers, body: nastyRecord({ status: 'completed', prLink: link }) },
  ];
  const script = { create: [busy, { headers, body: nastyRecord() }], get };
  const { result } = await play(script, { ...success, creates: 2 }, debugging);
  expectInert(result, 'notice');
  expect(result.outputs['job']).toContain('***');
});

// `echo` of `sh` and `%b` interpret escapes.
it.skipIf(process.platform === 'win32')('no text is a command when a shell prints it', async () => {
  const escapes =
    '\\n:\\072error\\072:x \\u000a\\u003a:error::x \\x23#[error]x \\0012:\\0072error::x';
  const extra = { [escapes]: escapes, lines: '\n::error::x\r::error::x' };
  const texts = { model: escapes, source: { ref: escapes } };
  const body = nastyRecord({ ...texts, ...extra, status: 'completed' });
  const { result } = await play({ get: [{ body }] }, withoutLink);
  const { job: JOB = '', model: MODEL = '', 'source-ref': REF = '' } = result.outputs;
  expect([MODEL, REF]).toEqual([expect.stringContaining('error'), MODEL]);
  const env = { JOB, MODEL, REF };
  const script =
    'for text in "$JOB" "$MODEL" "$REF"; do echo "$text"; printf "%b\\n" "$text"; done';
  for (const shell of ['sh', 'bash']) {
    const { stdout: printed } = spawnSync(shell, ['-c', script], { env, encoding: 'utf8' });
    expect(printed).toContain('error');
    expect(parseCommands(printed).commands).toEqual([]);
  }
});
