import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import watchForLeftovers from '../../helpers/leave-nothing.ts';

describe('the check for leftovers', () => {
  beforeEach(() => {
    for (const name of ['TMPDIR', 'TEMP', 'TMP', 'QUICK_START']) vi.stubEnv(name, process.env[name]);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  });

  it('fails the run and names a folder that is left', () => {
    const check = watchForLeftovers();
    mkdirSync(join(tmpdir(), 'forgotten'));
    expect(check).toThrow('left behind: forgotten');
    expect(process.exitCode).toBe(1);
  });

  it.runIf(process.platform === 'linux')('fails the run and names a process that is left', () => {
    const check = watchForLeftovers();
    const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
    expect(check).toThrow(`left behind: process ${child.pid} (sleep 1000)`);
    child.kill('SIGKILL');
  });
});
