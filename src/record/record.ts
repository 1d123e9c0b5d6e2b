import { readJobOnce } from '../service/agent-client.ts';
import type { RunEnd } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getRemainingMs } from '../time/deadline.ts';
import { Saver } from './save.ts';
import { createStatuses } from './statuses.ts';
import { getTask } from './task.ts';
import { type Contender, look, take } from './turn.ts';

export type JobRecord = ReturnType<typeof createRecord>;

/**
 * Returns the record of a run's job, in the statuses of a commit. Each run writes a claim before
 * the create request, and starts its job only if that claim stands. Tells the tracker what was
 * found and written.
 */
export function createRecord(run: Run) {
  const task = getTask(run);
  const readReply = remember((jobId) => readJobOnce(jobId, getRemainingMs(run), run));
  const hasFailed = async (jobId: string) => (await readReply(jobId)).job?.status === 'failed';
  const statuses = createStatuses(run, hasFailed);
  const saver = new Saver(statuses, run);
  const own: Contender = {
    ...{ ...run, task, statuses, saver, hasFailed },
    rivalDeadline: undefined,
    isLongestWait: false,
    startedAtMs: undefined,
    awaited: new Set(),
    toldId: undefined,
    after: undefined,
    start: undefined,
  };
  return {
    task,
    statuses,
    look: () => look(own),
    take(start: Contender['start']) {
      own.start = start;
      return take(own);
    },
    save: (jobId: string) => saver.saveJob(jobId),
    finish: (end: RunEnd) => saver.finish(end),
  };
}

/** Returns a function that calls another one once for each id. */
export function remember<T>(read: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (id) => {
    const result = known.get(id) ?? read(id);
    known.set(id, result);
    return result;
  };
}
