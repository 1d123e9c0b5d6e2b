import type { JobRecord } from '../record/record.ts';
import { getScope } from '../record/task.ts';
import type { Run } from '../state/run-state.ts';
import { type PromptPlan, preparePrompt } from './prepare-prompt.ts';

/** What a run is about to do. `wait`: for this job, because the inputs or the record name it. */
export type Plan = PromptPlan | { readonly kind: 'wait'; readonly jobId: string };

/** Decides what to send, or which job to wait for. Throws a `Stop` if nothing may be sent. */
export async function makePlan(record: JobRecord | undefined, run: Run): Promise<Plan> {
  const { inputs, github, tracker } = run;
  const { request, dryRun } = inputs;
  if (request.kind === 'attach') {
    return { kind: 'wait', jobId: request.jobId };
  }
  if (github.takenBack !== undefined) {
    tracker.update({ skip: { reason: 'taken-back', event: github.takenBack } });
    return { kind: 'skip', jobId: request.jobId };
  }
  // Without a release, a first attempt has no earlier job, and `take` looks, too.
  const isFirst = getScope(inputs) === 'rerun' && github.runAttempt === 1 && !dryRun;
  const earlier = isFirst ? undefined : await record?.look();
  return earlier?.kind === 'found'
    ? { kind: 'wait', jobId: earlier.jobId }
    : preparePrompt(request, earlier?.jobId, record, run);
}
