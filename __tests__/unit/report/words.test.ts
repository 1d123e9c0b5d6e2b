import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LAST_JOB } from '../../../src/changes/range.ts';
import { ENDS } from '../../../src/report/ends.ts';
import { type FinalFacts, isRehearsal } from '../../../src/report/facts.ts';
import { findEnd } from '../../../src/report/find-end.ts';
import { describeRerun } from '../../../src/report/money.ts';
import { describeEnd, renderAnnotation } from '../../../src/report/words.ts';

import { createReading, ERROR_CODES } from '../fixtures.ts';
import { endings } from './endings.ts';

const MAX_WORDS = 45;

function show(facts: FinalFacts): string {
  const { title, level, cost, rerun } = describeEnd(facts);
  const money = `Cost: ${cost} · Re-run: ${describeRerun(rerun, facts)}`;
  const lines = renderAnnotation(describeEnd(facts), facts);
  return [`**${title}** (${level})`, ...lines, `(${money})`].join('\n');
}

function countWords(lines: readonly string[]): number {
  return lines.join(' ').split(/[\s·]+/).length;
}

it('every end is shown, with every error code', async () => {
  const keys = endings.map(([, facts]) => findEnd(facts)[0]);
  expect(Object.keys(ENDS).filter((key) => !keys.some((shown) => shown === key))).toEqual([]);
  const codes = endings.map(([, { outcome }]) => String(outcome.code));
  expect(ERROR_CODES.filter((code) => !codes.includes(code))).toEqual([]);
  const text = endings.map(([name, facts]) => `## ${name}\n\n${show(facts)}\n`).join('\n');
  await expect(text).toMatchFileSnapshot('__snapshots__/words.md');
});

it.each(endings)('is short, and says what pays: %s', (_, facts) => {
  const lines = renderAnnotation(describeEnd(facts), facts);
  expect(lines.length).toBeLessThanOrEqual(2);
  expect(countWords(lines)).toBeLessThanOrEqual(MAX_WORDS);
  expect(show(facts)).not.toMatch(/undefined|null|\(\)| {2}|\.\.|\s\.|\w\(|\{[a-z]/);

  const { next, level } = describeEnd(facts);
  const isSaid = next.length > 0 || facts.outcome.code === 'invalid-input';
  expect(level === 'error' && !isSaid).toBe(false);
  const remedies = show(facts).match(/Need a job|need a job|None (?:after|so far)/g) ?? [];
  const isFree = facts.inputs !== undefined && isRehearsal(facts);
  expect(remedies.length > 0 && !isFree && !/\((?:may start a )?paid/.test(show(facts))).toBe(
    false,
  );
});

const emulatorKey = 'mint_emulator_admin_key_0001';
it.each(endings)('says nothing of paying in a rehearsal: %s', (_, facts) => {
  const inputs = facts.inputs && { ...facts.inputs, apiKey: emulatorKey };
  const rehearsal = { ...facts, inputs };
  expect(inputs === undefined || !/paid|1 job|1 follow-up/.test(show(rehearsal))).toBe(true);
  expect(findEnd(rehearsal)).toEqual(findEnd(facts));
});

it.each(endings)('says at most once that the next job covers the changes: %s', (_, facts) => {
  const inputs = facts.inputs && { ...facts.inputs, changesSince: LAST_JOB };
  const changes = createReading({ kind: 'known', ref: 'main' }, 3);
  const shown = show({ ...facts, inputs, state: { ...facts.state, changes } });
  const { outcome } = facts;
  const isClear = facts.state.claim.kind !== 'unsettled' && inputs?.dryRun === false;
  const isRefused = outcome.result === 'not-started' && isClear;
  const isSaid = isRefused || (outcome.code === 'job-failed' && isClear);
  expect(shown.match(/to the next job/g) ?? []).toHaveLength(isSaid ? 1 : 0);
  const [, ...lines] = shown.split('\n');
  expect(countWords(lines.slice(0, -1))).toBeLessThanOrEqual(MAX_WORDS);
});

it('the endings link to a section of the page about errors', () => {
  const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const sections = Object.keys(ENDS).map((key) => key.split('/')[0]);
  expect(sections.filter((section) => !page.includes(`\n## ${section}\n`))).toEqual([]);
});
