import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import watchForLeftovers from '../../helpers/leave-nothing.ts';

describe('the check for leftovers', () => {
  const variables = ['TMPDIR', 'TEMP', 'TMP'];
  let before: (string | undefined)[] = [];
  beforeEach(() => {
    before = variables.map((name) => process.env[name]);
  });
  afterEach(() => {
    process.exitCode = undefined;
    for (const [index, name] of variables.entries()) {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    }
  });

  it('fails the run and names a folder that is left', () => {
    const check = watchForLeftovers();
    mkdirSync(join(tmpdir(), 'forgotten'));
    expect(check).toThrow('left behind: forgotten');
    expect(process.exitCode).toBe(1);
  });

  it.runIf(process.platform === 'linux')('fails the run and names a process that is left', () => {
    const check = watchForLeftovers();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
    expect(check).toThrow(`left behind: process ${child.pid} (${process.execPath} -e`);
    child.kill('SIGKILL');
  });
});
