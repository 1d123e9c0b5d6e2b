import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type StartFailureCode } from '../../src/errors.ts';
import type { PullRequest } from '../../src/github/pull-request.ts';
import { INPUT_NAMES, InputError, readInputs } from '../../src/inputs/read-inputs.ts';
import type { Job } from '../../src/job/job.ts';
import {
  type Conclusion,
  createRunState,
  OUTCOMES,
  type Rerun,
  type RunResult,
  type RunState,
} from '../../src/outcome.ts';
import { describeOutcome } from '../../src/report/messages.ts';
import { getOutputs } from '../../src/report/outputs.ts';
import { renderInterimSummary, renderSummary } from '../../src/report/summary.ts';
import { quote } from '../../src/text/sanitize.ts';
import { parseCommands } from '../helpers/runner-commands.ts';
import { hostileJob } from './jobs.ts';
import { type MarkdownNode, parseMarkdown, walk } from './markdown.ts';
import { hostileText, parameters } from './parameters.ts';

const ATTEMPT_PAGE = 'https://github.com/acme/app/actions/runs/1/attempts/1';
const FILE_LINK = 'https://github.com/acme/docs/pull/1/files#diff-0';

/** Long texts, most of them of what grows when it is made visible, escaped or encoded. */
const longText = fc
  .tuple(
    fc.oneof(hostileText, fc.constantFrom('\0', '&', '"', '|', '📖', '\u{e0001}', `${'\0'.repeat(499)}\n`)),
    fc.nat(6_000),
  )
  .map(([text, length]) => text.repeat(Math.ceil(length / Math.max(1, text.length))));

const isStartFailure = (code: string): code is StartFailureCode =>
  !['start-unknown', 'job-lost', 'job-failed', 'timed-out', 'cancelled'].includes(code);
const startFailures = ERROR_CODES.filter(isStartFailure);

/** The detail of a run whose inputs were refused, as main makes it. */
const inputProblems = fc
  .dictionary(fc.constantFrom(...INPUT_NAMES.filter((name) => name !== 'prompt-file')), hostileText)
  .map((inputs) => {
    const env = Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
    try {
      readInputs(Object.fromEntries(env));
      return '';
    } catch (error) {
      if (!(error instanceof InputError)) {
        throw error;
      }
      return error.problems.map((problem) => `- ${problem}`).join('\n');
    }
  });

const conclusion: fc.Arbitrary<Conclusion> = fc.oneof(
  fc.record({
    outcome: fc.constant('not-started' as const),
    code: fc.constantFrom(...startFailures.filter((code) => code !== 'invalid-input')),
    detail: hostileText,
  }),
  fc.record({
    outcome: fc.constant('not-started' as const),
    code: fc.constant('invalid-input' as const),
    detail: inputProblems,
  }),
  fc.record({
    outcome: fc.constantFrom(...OUTCOMES.filter((outcome) => outcome !== 'not-started')),
    code: fc.constantFrom(undefined, ...ERROR_CODES),
    detail: hostileText,
  }),
);

const rerun: fc.Arbitrary<Rerun> = fc.oneof(
  fc.constant({ kind: 'reused' as const, jobId: 'job_1', attempt: 1, page: ATTEMPT_PAGE }),
  fc.record({ kind: fc.constant('created' as const), reason: hostileText }),
);

const pullRequest: fc.Arbitrary<PullRequest> = fc.record({
  title: hostileText,
  state: fc.constantFrom('open', 'draft', 'merged', 'closed'),
  additions: fc.nat(),
  deletions: fc.nat(),
  changedFiles: fc.nat(),
  files: fc.array(
    fc.record({ path: hostileText, link: fc.constant(FILE_LINK), additions: fc.nat(), deletions: fc.nat() }),
    { maxLength: 3 },
  ),
});

const progress: fc.Arbitrary<RunState> = fc
  .record({
    job: fc.option(hostileJob, { nil: undefined }),
    kind: fc.constantFrom('create', 'attach', 'follow-up', undefined),
    prompt: hostileText,
    rerun: fc.option(rerun, { nil: undefined }),
    isCreateInFlight: fc.boolean(),
    checks: fc.nat(),
    changes: fc.array(fc.record({ status: hostileText, atMs: fc.nat(21_600_000) }), { maxLength: 14 }),
  })
  .map(({ job, kind, prompt, rerun, isCreateInFlight, checks, changes }) => {
    const jobId = job?.id ?? (kind === 'create' ? undefined : 'job_1');
    const intent =
      kind === undefined
        ? undefined
        : kind === 'create'
          ? { kind, prompt }
          : { kind, jobId: jobId ?? 'job_1', prompt };
    return { ...createRunState(), intent, jobId, job, rerun, isCreateInFlight, checks, changes };
  });

const result: fc.Arbitrary<RunResult> = fc
  .tuple(conclusion, progress, fc.nat(21_600_000))
  .map(([ending, known, elapsedMs]) => ({ ...ending, progress: known, elapsedMs }));

/** The same ending without a untrusted word in it. */
function toBenign(ending: RunResult): RunResult {
  const { job } = ending.progress;
  const plain = job && { ...job, status: 'active', prLink: job.prLink && 'https://example.com/' };
  return { ...ending, detail: '', progress: { ...ending.progress, job: plain } };
}

function findCodes(verdict: { text: string; next: readonly string[] }): string[] {
  return [verdict.text, ...verdict.next].flatMap((text) =>
    [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
  );
}

/** What in a summary is not ours, or is ours at a place where nothing of ours stands. */
function findForeign(markdown: string, { jobId, job }: RunState, codes: readonly string[]): string[] {
  const tree = parseMarkdown(markdown);
  const links = [job?.prLink, job?.repository, ATTEMPT_PAGE, FILE_LINK];
  const isForeign = (node: MarkdownNode): boolean => {
    const { type, value = '', url, depth, children = [] } = node;
    switch (type) {
      case 'root':
      case 'paragraph':
      case 'text':
      case 'list':
      case 'listItem':
      case 'table':
      case 'tableRow':
      case 'tableCell':
        return false;
      case 'heading':
        return node !== tree.children?.[0] || depth !== 2 || children.length !== 1;
      case 'strong':
        return children[0]?.type !== 'link' && children[0]?.value !== 'What to do next';
      case 'link':
        return !links.includes(url) || children.some((child) => child.type !== 'text');
      case 'inlineCode':
        return value !== jobId && !codes.includes(value);
      case 'code':
        return value !== `job-id: ${jobId}`;
      case 'html':
        return !/^(?:<details><summary>Prompt<\/summary>|<\/details>|<pre>[^<>"']*<\/pre>)$/.test(value);
      default:
        return true;
    }
  };
  return [...walk(tree)].filter(isForeign).map(({ type, value, url }) => `${type} ${url ?? value ?? ''}`);
}

describe('the summary', () => {
  it('holds nothing untrusted but text', () => {
    fc.assert(
      fc.property(result, fc.option(pullRequest, { nil: undefined }), (ending, pull) => {
        const verdict = describeOutcome(ending);
        const quoted = ending.code === 'invalid-input' ? findCodes(verdict) : [];
        const status = quote(ending.progress.job?.status ?? '', 60);
        const codes = [...findCodes(describeOutcome(toBenign(ending))), ...quoted, status];
        const markdown = renderSummary(ending, verdict, pull);
        expect(findForeign(markdown, ending.progress, codes)).toEqual([]);
      }),
      parameters,
    );
  });

  it('holds nothing untrusted but text while it waits', () => {
    fc.assert(
      fc.property(progress, (known) => {
        expect(findForeign(renderInterimSummary(known), known, [])).toEqual([]);
      }),
      { ...parameters, numRuns: Math.ceil(parameters.numRuns / 4) },
    );
  });

  it('is at most 64 KiB', () => {
    fc.assert(
      fc.property(result, longText, longText, longText, (ending, prompt, detail, status) => {
        const changes = Array.from({ length: 50 }, (_, atMs) => ({ status: status.slice(0, 256), atMs }));
        const intent = { kind: 'create', prompt } as const;
        const long = { ...ending, detail, progress: { ...ending.progress, intent, changes } };
        const file = { path: detail, link: FILE_LINK, additions: 1_000_000, deletions: 1_000_000 };
        const pull = {
          title: status,
          state: 'merged',
          ...file,
          changedFiles: 300,
          files: Array(20).fill(file),
        } as const;
        const summary = renderSummary(long, describeOutcome(long), pull);
        for (const markdown of [summary, renderInterimSummary(long.progress)]) {
          expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(64 * 1024);
          expect(markdown.isWellFormed()).toBe(true);
        }
      }),
      { ...parameters, numRuns: Math.ceil(parameters.numRuns / 10) },
    );
  });
});

describe('the verdict', () => {
  it('is lines without a command, whatever the service said', () => {
    fc.assert(
      fc.property(result, (ending) => {
        const { text, next } = describeOutcome(ending);
        for (const line of [...text.split('\n'), ...next]) {
          expect(parseCommands(line).commands).toEqual([]);
          expect(line).not.toMatch(/[\r\p{Cc}]/u);
        }
      }),
      parameters,
    );
  });
});

describe('the outputs', () => {
  it('are text that a file can hold, links and times that parse', () => {
    fc.assert(
      fc.property(result, (ending) => {
        const outputs = getOutputs(ending);
        for (const [name, value] of Object.entries(outputs)) {
          expect(`${name}: ${value}`).toBe(`${name}: ${value.toWellFormed()}`);
        }
        const job: Partial<Job> = ending.progress.job ?? {};
        expect(outputs['pr-link']).toBe(job.prLink ?? '');
        for (const link of [outputs['pr-link'], outputs['source-repository']]) {
          expect(link === '' || new URL(link).href === link).toBe(true);
        }
        for (const time of [outputs['created-at'], outputs['archived-at']]) {
          expect(time === '' || !Number.isNaN(Date.parse(time))).toBe(true);
        }
        const number = outputs['pr-number'];
        expect(number).toMatch(/^\d{0,12}$/);
        expect(number === '' || new URL(outputs['pr-link']).pathname.split('/').includes(number)).toBe(true);
        expect(outputs['elapsed-seconds']).toMatch(/^\d{1,5}$/);
      }),
      parameters,
    );
  });
});
