import type { Project } from '../../emulator/behavior.ts';
import { createEmulator, type Emulator } from '../../emulator/server.ts';

export interface TimedJobs {
  readonly emulator: Emulator;
  readonly baseUrl: string;
  /**
   * The times at which the job of a project became final and was last read, on the clock of
   * `performance.now()`.
   */
  times(projectId: string): { readonly finalAtMs: number; readonly lastReadAtMs: number };
}

export interface TimedJob {
  readonly projectId: string;
  readonly seconds: number;
}

/** An emulator with one project for each job length, `speed` times faster than real time. */
export async function startTimedJobs(jobs: readonly TimedJob[], speed: number): Promise<TimedJobs> {
  const lastReads = new Map<string, number>();
  const emulator = createEmulator({
    projects: jobs.map(toProject),
    speed,
    now: () => performance.timeOrigin + performance.now(),
    onDecision: ({ route }) => {
      if (route?.call === 'get') {
        lastReads.set(route.projectId, performance.now());
      }
    },
  });
  return {
    emulator,
    baseUrl: await emulator.listen(),
    times(projectId) {
      const job = emulator.jobs.find((candidate) => candidate.projectId === projectId);
      const seconds =
        jobs.find((candidate) => candidate.projectId === projectId)?.seconds ?? Number.NaN;
      return {
        finalAtMs:
          (job?.startedAtMs ?? Number.NaN) - performance.timeOrigin + (seconds * 1000) / speed,
        lastReadAtMs: lastReads.get(projectId) ?? Number.NaN,
      };
    },
  };
}

function toProject({ projectId, seconds }: TimedJob): Project {
  return {
    id: projectId,
    description: `opens a pull request after ${seconds} seconds`,
    stages: [
      { atSeconds: seconds, status: 'completed', prLink: 'https://github.com/acme/docs/pull/128' },
    ],
  };
}
