import { expectPullRequest, startAction } from './lib/action.ts';
import { startGitHubApi } from './lib/github-api.ts';
import { createJobLengths, USUAL_MIX } from './lib/job-mix.ts';
import type { Measure } from './lib/measure.ts';
import { simulateNotices, toFigures } from './lib/notice.ts';
import { mapInPool } from './lib/pool.ts';
import { mean, median } from './lib/statistics.ts';
import { startTimedJobs } from './lib/timed-jobs.ts';

const POLL_INTERVAL_SECONDS = 1;
const ALLOWANCE_SECONDS = 0.2;
const DEFAULT_INTERVAL_SECONDS = 10;

export const end: Measure = {
  name: 'end',
  description: 'final status at the service to the end of the process, real processes in real time',
  async run({ isQuick }) {
    const count = isQuick ? 8 : 40;
    const jobs = Array.from({ length: count }, (_, index) => ({
      projectId: `job-${index}`,
      seconds: 2 + (4 * (index + 0.5)) / count,
    }));
    const github = await startGitHubApi();
    const { emulator, baseUrl, times } = await startTimedJobs(jobs, 1);
    try {
      const ends = await mapInPool(jobs, 4, async ({ projectId }) => {
        const inputs = {
          'project-id': projectId,
          'poll-interval-seconds': String(POLL_INTERVAL_SECONDS),
        };
        const { exitedAtMs } = await expectPullRequest(
          startAction({ baseUrl, githubApiUrl: github.url, inputs }),
        );
        const { finalAtMs, lastReadAtMs } = times(projectId);
        return {
          sinceFinal: (exitedAtMs - finalAtMs) / 1000,
          sinceReply: (exitedAtMs - lastReadAtMs) / 1000,
        };
      });
      const sinceReply = ends.map((times) => times.sinceReply);
      const { delaySeconds } = toFigures(
        await simulateNotices(createJobLengths(USUAL_MIX, 20_000)),
      );
      return {
        rows: [
          {
            measure: 'end: final status to exit, mean, real processes at an interval of 1 s',
            reference: 'half the interval: 0.50 s',
            value: mean(ends.map(({ sinceFinal }) => sinceFinal)),
            unit: 'seconds',
            limit: POLL_INTERVAL_SECONDS / 2 + ALLOWANCE_SECONDS,
            note: `${count} jobs of 2 to 6 s`,
          },
          {
            measure: 'end: last reply of the service to exit, the slowest of them',
            reference: '–',
            value: Math.max(...sinceReply),
            unit: 'seconds',
            limit: ALLOWANCE_SECONDS,
            note: `median ${median(sinceReply).toFixed(3)} s, pull request read from GitHub included`,
          },
          {
            measure: 'end: final status to exit, mean, at the default interval of 10 s',
            reference: 'half the interval: 5.00 s',
            value: delaySeconds + median(sinceReply),
            unit: 'seconds',
            limit: DEFAULT_INTERVAL_SECONDS / 2 + ALLOWANCE_SECONDS,
            note: 'simulated delay over the usual mix, plus the median above',
          },
        ],
      };
    } finally {
      await emulator.close();
      await github.close();
    }
  },
};
