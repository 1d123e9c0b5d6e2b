import { describe, it } from 'vitest';
import type { ActionOptions, ActionResult } from '../../harness/action.ts';
import { setUp } from '../helpers/github.ts';
import { faults, jobRecord, type Script, scriptedService } from '../helpers/servers.ts';
import { active, begin, opened } from './scenario.ts';

/**
 * Returns the log with its annotations, and the summary. Times, ports, ids, and the number of polls
 * vary, so names replace them.
 */
function show({ stdout, summary = '', exitCode, outputs }: ActionResult): string {
  const { outcome, 'error-code': code } = outputs;
  const text = [
    `exit code ${exitCode}, outcome ${outcome ?? '(none)'}, error-code ${code || '(none)'}`,
    ...['', '=== log', stdout.trimEnd()],
    ...['', '=== summary', summary.trimEnd(), ''],
  ].join('\n');
  return text
    .replaceAll('%0A', '%0A\n    ')
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, 'ID')
    .replace(/(?<=127\.0\.0\.1:)\d+/g, 'PORT')
    .replace(/(?<=Polls: )\d+/g, 'NUMBER')
    .replace(/(?<=fingerprint )[0-9a-f]{32}/g, 'FINGERPRINT')
    .replace(/\b(?:\d+ (?:h|min|s)(?: |\b))+(?<! )/g, 'TIME')
    .replace(/^ +TIME {2}/gm, 'TIME  ');
}

interface Situation {
  readonly script?: Script;
  readonly inputs?: Record<string, string>;
  readonly options?: ActionOptions;
}

// unit/report/messages.test.ts holds the wording of every other ending.
const situations: Record<string, Situation> = {
  'opens a pull request': { script: { get: [active, opened] } },
  fails: { script: { get: [{ body: jobRecord({ status: 'failed' }) }] } },
  'times out': {
    inputs: { 'poll-interval-seconds': '300', 'timeout-minutes': '0.05' },
    // The last poll has less than two seconds, which may be short on a busy machine.
    options: { timeScale: 0.5 },
  },
  'does not know whether a job started': { script: { create: [{ fault: faults.close }] } },
  'starts nothing with wrong inputs': {
    inputs: { prompt: '', 'api-key': 'short', 'timeout-minutes': 'soon', wait: 'maybe' },
  },
};

describe.concurrent('the log and the summary have the approved wording for a run', () => {
  it.for(Object.entries(situations))('that %s', async ([, situation], { expect }) => {
    const { script, inputs = {}, options = {} } = situation;
    const service = await scriptedService(script);
    const result = await begin(service.url, { timeScale: 3, ...options, inputs }).action.ended;
    expect(result.stderr).toBe('');
    expect(show(result)).toMatchSnapshot();
  });

  it('that waits for the job of an earlier attempt', async ({ expect }) => {
    const { finish } = await setUp();
    await finish();
    const result = await finish({}, { env: { GITHUB_RUN_ATTEMPT: '2' } });
    expect(show(result).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'DATE')).toMatchSnapshot();
  });
});
