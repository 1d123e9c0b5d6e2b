import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import type { StartFailureCode } from '../../src/errors.ts';
import { parseJob } from '../../src/job.ts';
import { type Conclusion, createProgress, OUTCOMES, type RunResult } from '../../src/result.ts';
import { renderInterimSummary, renderSummary } from '../../src/summary.ts';
import { toVerdict } from '../../src/verdict.ts';
import { hostileText, parameters } from './parameters.ts';

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly url?: string;
  readonly lang?: string | null | undefined;
  readonly children?: readonly Node[] | undefined;
}

function listNodes(node: Node): Node[] {
  return [node, ...(node.children ?? []).flatMap(listNodes)];
}

const record = fc.record({
  id: fc.constant('job_1'),
  status: hostileText,
  source: fc.record({ repository: hostileText, ref: hostileText }),
  model: hostileText,
  prLink: fc.oneof(
    hostileText,
    hostileText.map((text) => `https://github.com/acme/docs/pull/1${text}`),
    hostileText.map((text) => `https://x.example/${text}/pull/1`),
  ),
  createdAt: hostileText,
});

const startFailures: StartFailureCode[] = [
  ...(['invalid-input', 'unwritable-output', 'connect-failed', 'tls-failed', 'proxy-refused'] as const),
  ...([
    'bad-request',
    'unauthorized',
    'forbidden',
    'not-found',
    'rate-limited',
    'redirected',
    'internal',
  ] as const),
];
const conclusion: fc.Arbitrary<Conclusion> = fc.oneof(
  fc.record({
    outcome: fc.constant('not-started' as const),
    code: fc.constantFrom(...startFailures),
    detail: hostileText,
  }),
  fc.record({
    outcome: fc.constantFrom(...OUTCOMES.filter((outcome) => outcome !== 'not-started')),
    code: fc.constantFrom(undefined, 'job-lost' as const, 'internal' as const),
    detail: hostileText,
  }),
);

const result: fc.Arbitrary<RunResult> = fc
  .record({
    reply: record,
    prompt: fc.oneof(
      hostileText,
      hostileText.map((text) => `${text}\n`.repeat(2_000)),
    ),
    conclusion,
    changes: fc.array(fc.record({ status: hostileText, atMs: fc.nat(21_600_000) }), { maxLength: 50 }),
    hasJob: fc.boolean(),
  })
  .map(({ reply, prompt, conclusion: ending, changes, hasJob }) => ({
    ...ending,
    elapsedMs: 1_000,
    progress: {
      ...createProgress(),
      intent: { kind: 'create' as const, prompt },
      jobId: hasJob ? 'job_1' : undefined,
      job: hasJob ? parseJob(reply, (text) => text) : undefined,
      checks: 3,
      changes,
    },
  }));

describe('the summary', () => {
  const ownTags = new Set(['<details>', '</details>', '<summary>', '</summary>', '<pre>', '</pre>']);

  it.each([
    ['at the end', (run: RunResult) => renderSummary(run, toVerdict(run))],
    ['while it waits', (run: RunResult) => renderInterimSummary(run.progress)],
  ])('holds no markup but its own, and stays within its limit %s', (_, render) => {
    fc.assert(
      fc.property(result, (run) => {
        const markdown = render(run);
        expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(65_536);
        const nodes = listNodes(
          fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }),
        );
        const of = (type: string): Node[] => nodes.filter((node) => node.type === type);
        const { job, jobId } = run.progress;
        const links = of('link').map(({ url }) => url);
        expect(links.filter((url) => url !== job?.prLink && url !== job?.repository)).toEqual([]);
        expect(of('heading')).toHaveLength(1);
        expect(of('code').map(({ lang, value }) => [lang, value])).toEqual(
          markdown.includes('```yaml') ? [['yaml', `job-id: ${jobId}`]] : [],
        );
        const tags = of('html').flatMap(({ value = '' }) => value.match(/<[^>]*>?/g) ?? []);
        expect(tags.filter((tag) => !ownTags.has(tag))).toEqual([]);
        const foreign = [
          'image',
          'definition',
          'footnoteDefinition',
          'blockquote',
          'thematicBreak',
          'delete',
        ];
        expect(nodes.filter(({ type }) => foreign.includes(type))).toEqual([]);
        expect(of('inlineCode').every(({ value = '' }) => /^[\w.…/:-]+$/.test(value))).toBe(true);
        expect(of('table').length).toBeLessThanOrEqual(1);
      }),
      parameters,
    );
  });
});
