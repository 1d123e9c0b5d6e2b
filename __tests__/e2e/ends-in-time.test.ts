import { describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createGate, scriptedService } from '../helpers/servers.ts';
import { begin, faultInside, link, opened, success } from './scenario.ts';

describe.concurrent('a log that nobody reads', () => {
  // Not known for the pipes of Windows.
  it.skipIf(process.platform === 'win32')('does not end the wait for the job', async () => {
    const gate = createGate();
    const service = await scriptedService({ get: [{ until: gate.opened, status: 500 }, opened] });
    const { action, end } = begin(service.url);
    await eventually(() => expect(service.seen('get')).toHaveLength(1), action);
    action.child.stdout?.destroy();
    gate.open();
    const { summary } = await end(service, success);
    expect(summary).toContain(link);
  });

  it('does not delay the end of the process', async () => {
    const { action } = begin('http://127.0.0.1:9', {
      preload: [faultInside],
      env: { INSIDE: 'full-log' },
      inputs: { 'timeout-minutes': '0.05' },
    });
    const { killedLate, exitCode, outputs } = await action.ended;
    const ending = { killedLate, exitCode, code: outputs['error-code'] };
    expect(ending).toEqual({ killedLate: false, exitCode: 1, code: 'connect-failed' });
  });
});
