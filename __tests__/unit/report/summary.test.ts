import { describe, expect, it } from 'vitest';
import type { PullRequest } from '../../../src/github/pull-request.ts';
import { parseJob } from '../../../src/job/job.ts';
import { createRunState, type RunResult } from '../../../src/outcome.ts';
import { describeOutcome } from '../../../src/report/messages.ts';
import { renderSummary } from '../../../src/report/summary.ts';
import { jobRecord } from '../../helpers/job-record.ts';

describe('renderSummary', () => {
  it.each(['文', '\u200b', '<', '&', '\\', '`', '🧪', '\n', 'a\n'])(
    'stays below 64 KiB where every text is as long as it can be and made of %o',
    (unit) => {
      const text = unit.repeat(10_000);
      const link = `https://github.com/${'o'.repeat(100)}/${'r'.repeat(100)}/pull/1`;
      const job = parseJob(jobRecord({ status: text, prLink: link }), (value) => value);
      const result: RunResult = {
        outcome: 'failed',
        code: 'job-failed',
        detail: text,
        elapsedMs: 1,
        progress: {
          ...createRunState(),
          intent: { kind: 'create', prompt: text },
          rerun: { kind: 'created', reason: text },
          jobId: 'j'.repeat(128),
          job,
          changes: Array.from({ length: 50 }, () => ({ status: text.slice(0, 256), atMs: 1 })),
        },
      };
      const file = {
        path: text,
        link: `${link}/files#diff-${'0'.repeat(64)}`,
        additions: 1e15,
        deletions: 1e15,
      };
      const pullRequest: PullRequest = {
        title: text,
        state: 'merged',
        additions: 1e15,
        deletions: 1e15,
        changedFiles: 1e15,
        files: Array.from({ length: 20 }, () => file),
      };
      const summary = renderSummary(result, describeOutcome(result), pullRequest);
      expect(summary).toContain('- and 999999999999980 more');
      expect(Buffer.byteLength(summary)).toBeLessThan(65_536);
    },
  );
});
