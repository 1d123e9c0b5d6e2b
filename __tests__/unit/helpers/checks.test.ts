import { expect, it } from 'vitest';
import { definition } from '../../harness/action-environment.ts';
import { type ActionResult, collectResult } from '../../harness/action-result.ts';
import { expectInvariants, findPieces } from '../../helpers/invariants.ts';

// These checks would pass silently if they were broken. Other tests exercise the rest of the
// helpers.

const secretPart = '0123456789~abcdef';
const key = `mint_${secretPart}`;

/** Returns the result of a run that printed these lines and wrote every output. */
function createResult(outcome: string, errorCode: string, ...lines: string[]): ActionResult {
  const ended = { signal: null, killedLate: false, durationMs: 100 };
  const exitCode = errorCode === '' ? 0 : 1;
  const printed = { ...ended, exitCode, stdout: lines.join('\n'), stderr: '' };
  const blank = Object.keys(definition.outputs).map((name) => [name, '']);
  const codes = { 'job-result': outcome, 'error-code': errorCode };
  const outputs = { ...Object.fromEntries(blank), ...codes };
  const outputText = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  return { ...collectResult(printed, {}, ''), outputs, outputText: outputText.join('') };
}

const mask = `::add-mask::${key}`;
const passed = createResult('started', '', mask);
it.each<[string, ActionResult]>([
  ['killed by the time limit', { ...passed, killedLate: true }],
  ['crash report', { ...passed, stderr: 'Error: x\n\nNode.js v20.19.0' }],
  ['foreign commands', createResult('started', '', '::set-output name=a::b')],
  ['masks of the key', createResult('started', '', mask, mask)],
  ['pieces of the key in log', createResult('started', '', `Bearer ${key}`)],
  ['pieces of the key in summary', { ...passed, summary: btoa(key) }],
  ['state, variables, and paths', { ...passed, otherFiles: 'A=1' }],
  ['error annotations', createResult('failed', 'job-failed')],
  ['outputs written', { ...passed, outputText: 'job-result=started\n' }],
  ['outcomes with exit code 0', createResult('failed', '')],
])('rejects a result because of %s', (message, result) => {
  const limits = { key, creates: 1, jobs: 1, withinMs: 1_000 };
  expect(() => expectInvariants(passed, limits)).not.toThrow();
  expect(() => expectInvariants(result, limits)).toThrow(message);
});

const eight = key.slice(5, 13);

it.each([
  [`a${eight}b`, true],
  [encodeURIComponent(key), true],
  [btoa(key), true],
  [Buffer.from(`??${key}`).toString('base64url'), true],
  [`a${key.slice(5, 12)}b`, false],
  ['mint_98765432', false],
])('findPieces decides whether "%s" contains a piece of the key: %s', (text, isFound) => {
  expect(findPieces(text, key, secretPart).length > 0).toBe(isFound);
});
