import type { Inputs } from '../inputs/read-inputs.ts';
import { Stop } from '../state/outcome.ts';
import type { Run } from '../state/run.ts';
import type { EarlierJob } from '../state/run-state.ts';
import type { Decision } from './decide.ts';
import { RecordGuard } from './record-guard.ts';
import type { ClaimStore } from './store.ts';

/**
 * Reads and reports what a real run would do about earlier jobs, for a dry run. Writes nothing.
 * Returns the id of the job that a real run would wait for. Throws a `Stop` if a real run would
 * start nothing.
 */
export async function previewEarlierJob(
  inputs: Inputs,
  store: ClaimStore,
  run: Run,
): Promise<string | undefined> {
  const guard = new RecordGuard(inputs, store, run);
  const decision = await guard.decideOrStop((timeoutMs) => store.read(timeoutMs), false);
  const earlierJob = toEarlierJob(decision);
  guard.report(earlierJob);
  return earlierJob.kind === 'found' ? earlierJob.jobId : undefined;
}

function toEarlierJob(decision: Decision): EarlierJob {
  const { kind } = decision;
  switch (kind) {
    case 'start':
    case 'claim':
      return decision.earlierJob;
    case 'wait':
      return decision.job;
    case 'busy':
      return { kind: 'starting', attempt: decision.attempt };
    case 'unknown': {
      const { attempt } = decision;
      throw new Stop({ result: 'start-unknown', code: 'start-unknown', attempt });
    }
  }
}
