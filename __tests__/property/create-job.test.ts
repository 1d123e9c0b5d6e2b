import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { start } from '../../src/job/create-job.ts';
import { parseJob } from '../../src/job/job.ts';
import { classifyCreate } from '../../src/job/retry-policy.ts';
import { createVirtualClock } from '../helpers/virtual-clock.ts';
import { parameters } from './parameters.ts';
import { evidence, fraction } from './results.ts';

/** One answer to a create, and what else happens while it is on its way or in the pause after it. */
const turn = fc.record({
  evidence,
  tookMs: fc.constantFrom(0, 5, 500, 9_999, 60_000),
  signal: fc.constantFrom('none', 'none', 'none', 'cancel', 'abandon'),
  signalInPause: fc.constantFrom('none', 'none', 'none', 'none', 'cancel'),
  jumpMs: fc.constantFrom(0, 0, 0, 0, 7_200_000),
  jumpInPauseMs: fc.constantFrom(0, 0, 0, 0, 7_200_000),
});

describe('start', () => {
  it('sends within its time, never after an effect, and tells the truth about it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(6, 20_000, 300_000, 1_800_000),
        fraction,
        async (turns, timeoutMs, share) => {
          const clock = createVirtualClock();
          const deadline = clock.now() + timeoutMs;
          const cancel = new AbortController();
          const abandon = new AbortController();
          const started = parseJob({ id: 'job_1', status: 'active' }, (text) => text);
          const decisions: string[] = [];
          const limits: number[] = [];
          let turnIndex = 0;
          clock.onSleep = () => {
            const { signalInPause, jumpInPauseMs } = turns[(turnIndex - 1) % turns.length] ?? {};
            expect(clock.now()).toBeLessThan(deadline);
            clock.pass(jumpInPauseMs ?? 0);
            if (signalInPause === 'cancel') {
              cancel.abort();
            }
          };
          const result = await start({
            send: async ({ timeoutMs }) => {
              const answer = turns[turnIndex % turns.length];
              if (answer === undefined) {
                throw new Error('no turn');
              }
              turnIndex += 1;
              limits.push(timeoutMs);
              clock.pass(Math.max(0, Math.min(answer.tookMs, timeoutMs)) + answer.jumpMs);
              if (answer.signal !== 'none') {
                cancel.abort();
              }
              if (answer.signal === 'abandon') {
                abandon.abort();
              }
              const decision = classifyCreate(answer.evidence).kind;
              decisions.push(decision);
              return {
                evidence: answer.evidence,
                job: decision === 'accept' ? started : undefined,
                detail: 'detail',
              };
            },
            clock,
            random: () => share,
            deadline,
            cancel: cancel.signal,
            abandon: abandon.signal,
            onRetry: () => {},
          });

          expect(limits.filter((timeoutMs) => timeoutMs <= 0)).toEqual([]);
          expect(decisions.slice(0, -1).filter((decision) => decision !== 'retry')).toEqual([]);
          expect(decisions.length).toBeLessThanOrEqual(12);
          const isOpen = decisions.at(-1) === 'unknown';
          const told = result.kind === 'cancelled' ? result.mayHaveStarted : result.kind === 'unknown';
          expect(told).toBe(isOpen);
          expect(result.kind === 'started').toBe(decisions.at(-1) === 'accept');
        },
      ),
      parameters,
    );
  });
});
