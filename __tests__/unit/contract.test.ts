import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { INPUT_NAMES } from '../../src/inputs/read-inputs.ts';
import { getOutputs } from '../../src/report/outputs.ts';
import { runHere } from '../helpers/run-here.ts';
import { createResult } from './fixtures.ts';

const action = parse(readFileSync(new URL('../../action.yml', import.meta.url), 'utf8'));

describe('action.yml', () => {
  it('has a description that is short enough for the Marketplace', () => {
    // It refuses 125 characters or more when a release is published, and a version is never used
    // twice.
    expect(action.description.length).toBeLessThan(125);
  });

  it('declares exactly the inputs that are read', () => {
    expect(Object.keys(action.inputs)).toEqual(INPUT_NAMES);
  });

  it('declares exactly the outputs that are written', () => {
    const outputs = getOutputs(createResult({ result: 'started' }));
    expect(Object.keys(action.outputs).sort()).toEqual(Object.keys(outputs).sort());
  });

  it('matches the files generated from it', async () => {
    expect(await runHere('scripts/generate.ts', '--check')).toMatchObject({
      stderr: '',
      exitCode: 0,
    });
  });
});
