import type { Project } from './replies.ts';

/** A job as the emulator keeps it. Times are in milliseconds since the epoch. */
export interface Job {
  readonly id: string;
  readonly project: Project;
  /** The prompt of the create request, then the prompts of the follow-ups. */
  readonly prompts: string[];
  readonly createdAtMs: number;
  /** Time of the create request or the last follow-up. The stages count from here. */
  startedAtMs: number;
  /** Since `startedAtMs`. */
  gets: number;
}

const finalStatuses = ['completed', 'archived', 'failed'];

/**
 * Returns the record of the job at this time, or `undefined` if the job is gone. As the service
 * documents, `prLink` is null until the status is final, and `archivedAt` is null unless the job is
 * archived.
 */
export function toRecord(job: Job, nowMs: number, speed: number): object | undefined {
  const { project } = job;
  const secondsRun = ((nowMs - job.startedAtMs) / 1000) * speed;
  if (secondsRun >= (project.goneAtSeconds ?? Number.POSITIVE_INFINITY)) {
    return undefined;
  }
  const stage = project.stages.findLast((candidate) => secondsRun >= candidate.atSeconds);
  const status = stage?.status ?? 'active';
  const stageAtMs = job.startedAtMs + ((stage?.atSeconds ?? 0) * 1000) / speed;
  return {
    id: job.id,
    status,
    source: { repository: 'https://github.com/acme/docs', ref: 'main' },
    model: 'docs-writer-2',
    prLink: (finalStatuses.includes(status) && stage?.prLink) || null,
    createdAt: new Date(job.createdAtMs).toISOString(),
    archivedAt: status === 'archived' ? new Date(stageAtMs).toISOString() : null,
    ...project.fields,
  };
}
