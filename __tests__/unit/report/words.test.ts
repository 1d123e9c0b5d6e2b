import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COSTS, RERUNS } from '../../../src/report/cost-and-rerun.ts';
import type { FinalFacts } from '../../../src/report/facts.ts';
import { describeEnd, renderAnnotation } from '../../../src/report/words.ts';
import { toPlainText } from '../../../src/text/message.ts';
import { ERROR_CODES, OUTCOMES } from '../fixtures.ts';
import { endings } from './endings.ts';

const MAX_WORDS = 45;

function show(facts: FinalFacts): string {
  const { title, level, cost, rerun } = describeEnd(facts);
  const money = `Cost: ${COSTS[cost]} · Re-run: ${RERUNS[rerun]}`;
  const lines = renderAnnotation(describeEnd(facts), facts);
  return [`**${title}** (${level})`, ...lines, `(${money})`].join('\n');
}

it('the endings cover every result and every error code', async () => {
  const results = endings.map(([, { outcome }]) => outcome.result);
  expect([...new Set<string>(results)].sort()).toEqual(OUTCOMES.toSorted());
  const codes = endings.map(([, { outcome }]) => String(outcome.code));
  expect(ERROR_CODES.filter((code) => !codes.includes(code))).toEqual([]);
  const text = endings.map(([name, facts]) => `## ${name}\n\n${show(facts)}\n`).join('\n');
  await expect(text).toMatchFileSnapshot('__snapshots__/words.md');
});

it.each(endings)('are short, and advise no re-run where a job may exist: %s', (_, facts) => {
  const lines = renderAnnotation(describeEnd(facts), facts);
  expect(lines.length).toBeLessThanOrEqual(2);
  expect(lines.join(' ').split(/\s+/).length).toBeLessThanOrEqual(MAX_WORDS);
  expect(show(facts)).not.toMatch(/undefined|null|\(\)| {2}|\.\.|\s\.|\{[a-z]/);

  const { next, rerun, level } = describeEnd(facts);
  const { outcome } = facts;
  const text = toPlainText(next, facts.redact);
  expect(rerun === 'blocked' && /\bre-run\b/i.test(text)).toBe(false);
  expect(level === 'error' && next.length === 0 && outcome.code !== 'invalid-input').toBe(false);
  // What pays says so.
  expect(/need a job|None after/.test(text) && !text.includes('(paid)')).toBe(false);
});

it('the endings link to a section of the page about errors', () => {
  const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const anchors = new Set(endings.map(([, facts]) => describeEnd(facts).anchor));
  expect([...anchors].filter((anchor) => !page.includes(`\n## ${anchor}\n`))).toEqual([]);
});
