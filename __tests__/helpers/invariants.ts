import { expect } from 'vitest';
import { JWT_HEADER } from '../github/token.ts';
import { definition } from '../harness/action-environment.ts';
import type { ActionResult } from '../harness/action-result.ts';
import { parseOutputFile } from '../harness/output-file.ts';

const ownCommands = ['add-mask', 'debug', 'endgroup', 'error', 'group', 'notice', 'warning'];
const passing = 'archived dry-run no-pull-request pull-request-opened skipped started'.split(' ');
const failing = ['cancelled', 'failed', 'lost', 'not-started', 'start-unknown', 'timed-out'];

interface Expectations {
  /** The API key of the run. */
  key: string;
  /** The create requests that the service received: at most one and five retries. */
  creates: number;
  /** The jobs that the service started: at most one. */
  jobs: number;
  /** The maximum duration of the run in real time. */
  withinMs?: number;
  /** Whether the run could write its outputs at its end. Default: `true`. */
  areOutputsWritten?: boolean;
}

/** Checks the invariants of every run (docs/reliability.md). */
export function expectInvariants(result: ActionResult, expectations: Expectations): void {
  const { key, creates, jobs, withinMs = Number.POSITIVE_INFINITY } = expectations;
  const { stderr, summary = '', outputText } = result;
  expect(jobs, 'jobs started').toBeLessThanOrEqual(1);
  expect(creates, 'create requests received').toBeLessThanOrEqual(6);
  expect(result.killedLate, 'killed by the time limit of the test').toBe(false);
  expect(result.durationMs, 'duration').toBeLessThanOrEqual(withinMs);
  expect(stderr, 'crash report of node').not.toMatch(/^Node\.js v\d/m);
  expectOwnCommands(result);
  expectNoSecret(result, key);
  expect(Buffer.byteLength(summary), 'bytes of the summary').toBeLessThanOrEqual(65_536);
  expect(summary, 'links to no host').not.toContain('](/');
  expect(result.otherFiles, 'state, variables, and paths for later steps').toBe('');
  if (result.signal !== null) {
    return;
  }
  expectAnnotated(result);
  if (outputText !== undefined && expectations.areOutputsWritten !== false) {
    expectOutcome(result, outputText);
  }
}

function expectOwnCommands({ commands, annotations }: ActionResult): void {
  const foreign = commands.filter(
    ({ name, syntax }) => syntax !== '::' || !ownCommands.includes(name),
  );
  expect(foreign, 'foreign commands').toEqual([]);
  expect(annotations.errors.length, 'error annotations').toBeLessThanOrEqual(1);
  for (const [level, messages] of Object.entries(annotations)) {
    expect(messages.length, `number of ${level}`).toBeLessThanOrEqual(10);
    const longest = Math.max(0, ...messages.map(({ length }) => length));
    expect(longest, `length of ${level}`).toBeLessThanOrEqual(4096);
  }
}

function expectAnnotated({ exitCode, annotations, outputs }: ActionResult): void {
  const isAnnotated = exitCode !== 0 && outputs['job-result'] !== 'cancelled';
  expect([0, 1], 'exit codes').toContain(exitCode);
  expect(annotations.errors, 'error annotations').toHaveLength(isAnnotated ? 1 : 0);
}

function expectOutcome({ exitCode, outputs }: ActionResult, outputText: string): void {
  const { 'job-result': outcome, 'error-code': code } = outputs;
  const written = Object.keys(parseOutputFile(outputText)).sort();
  expect(written, 'outputs written').toEqual(Object.keys(definition.outputs).sort());
  const expected = exitCode === 0 ? passing : failing;
  expect(expected, `outcomes with exit code ${exitCode}`).toContain(outcome);
  expect(code !== '', `'${code}' as error-code with exit code ${exitCode}`).toBe(exitCode !== 0);
}

/** Expects pieces of the key only in commands that mask something, which no log shows. */
export function expectNoSecret(result: ActionResult, key: string): void {
  const masks = result.commands.filter(({ name }) => name === 'add-mask');
  const ownMasks = masks.filter(({ data }) => data === key);
  expect(ownMasks.length, 'masks of the key').toBeLessThanOrEqual(1);
  if (key.trim() === '') {
    return;
  }
  const { stdout, stderr, summary = '', outputText = '' } = result;
  const log = masks.reduce((text, mask) => text.replace(mask.text, ''), stdout);
  const prefix = PREFIXES.find((start) => key.startsWith(start)) ?? '';
  const secretPart = key.slice(prefix.length);
  for (const [place, text] of Object.entries({ log, stderr, summary, outputs: outputText })) {
    expect(findPieces(text, key, secretPart), `pieces of the key in ${place}`).toEqual([]);
  }
}

/** What is not secret in the keys and tokens of the tests, whatever the action thinks of them. */
const PREFIXES = ['mint_emulator_admin_', 'mint_', `ghs_9315_${JWT_HEADER}`];

/**
 * Returns what a text shows of a key: all of it in any form, and eight characters in a row of its
 * secret part.
 */
export function findPieces(text: string, key: string, secretPart: string): string[] {
  const pieces = Array.from({ length: Math.max(0, secretPart.length - 7) }, (_, start) =>
    secretPart.slice(start, start + 8),
  );
  return [...findSecret(text, key), ...pieces.filter((piece) => text.includes(piece))];
}

/** Returns the forms of a whole secret in a text: plain, percent-encoded, or in base64. */
export function findSecret(text: string, secret: string): string[] {
  const plainBase64 = text.replaceAll('-', '+').replaceAll('_', '/');
  return [
    ...[secret].filter((plain) => text.includes(plain) || decodePercent(text).includes(plain)),
    ...toBase64Cores(secret).filter((core) => plainBase64.includes(core)),
  ];
}

function decodePercent(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
  );
}

// A secret has three forms in base64, by its offset modulo three. Compares only digits that don't
// encode other bytes.
function toBase64Cores(secret: string): string[] {
  return [0, 1, 2].map((lead) => {
    const bytes = Buffer.concat([Buffer.alloc(lead), Buffer.from(secret)]);
    return bytes
      .toString('base64')
      .slice(Math.ceil((lead * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
}
