import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ERROR_CODES } from '../../src/errors.ts';
import { INPUT_NAMES } from '../../src/inputs/read-inputs.ts';
import { getOutputs } from '../../src/report/outputs.ts';
import { createState, OUTCOMES } from './fixtures.ts';

const root = new URL('../../', import.meta.url);
const action = parse(readFileSync(new URL('action.yml', root), 'utf8'));
const readme = readFileSync(new URL('README.md', root), 'utf8');

describe('action.yml', () => {
  it('declares exactly the inputs that are read', () => {
    expect(Object.keys(action.inputs)).toEqual(INPUT_NAMES);
  });

  it('declares exactly the outputs that are written', () => {
    const outputs = getOutputs({
      outcome: { outcome: 'dry-run' },
      state: createState(),
      elapsedMs: 0,
      inputs: undefined,
    });
    expect(Object.keys(action.outputs).sort()).toEqual(Object.keys(outputs).sort());
  });

  it('runs the bundle on node20', () => {
    expect(action.runs).toEqual({ using: 'node20', main: 'dist/index.js' });
  });

  it('matches the tables of the README and the defaults in the code', () => {
    const script = new URL('scripts/generate.ts', root);
    execFileSync(process.execPath, ['--import', 'tsx', fileURLToPath(script), '--check'], { stdio: 'pipe' });
  });
});

describe('README.md', () => {
  it.each(OUTCOMES)('explains the outcome %s', (outcome) => {
    expect(readme).toContain(`\`${outcome}\``);
  });

  it.each(ERROR_CODES)('explains the error code %s', (code) => {
    expect(readme).toContain(`\`${code}\``);
  });

  it.each(['npm ci && npm start', 'npm ci && npm test'])('names the command %s', (command) => {
    expect(readme).toContain(command);
  });
});
