import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { INPUT_NAMES } from '../../src/inputs/read-inputs.ts';
import { getOutputs } from '../../src/report/outputs.ts';
import { createState } from './fixtures.ts';

const root = new URL('../../', import.meta.url);
const action = parse(readFileSync(new URL('action.yml', root), 'utf8'));

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

  it('matches what is generated from it', () => {
    const script = new URL('scripts/generate.ts', root);
    execFileSync(process.execPath, ['--import', 'tsx', fileURLToPath(script), '--check'], { stdio: 'pipe' });
  });
});
