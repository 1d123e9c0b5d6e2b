import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';

const FILES = ['GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY'] as const;

/** Captures the runner's files and the standard output in each test of a file. */
export function captureRunner() {
  const runner = {
    folder: '',
    stdout: '',
    pathOf: (name: (typeof FILES)[number]): string => join(runner.folder, name),
    read: (name: (typeof FILES)[number]): string => readFileSync(runner.pathOf(name), 'utf8'),
  };
  beforeEach(() => {
    runner.folder = mkdtempSync(join(tmpdir(), 'runner-'));
    runner.stdout = '';
    for (const name of FILES) {
      writeFileSync(runner.pathOf(name), '');
      vi.stubEnv(name, runner.pathOf(name));
    }
    vi.stubEnv('RUNNER_DEBUG', '');
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      runner.stdout += chunk;
      return true;
    });
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    rmSync(runner.folder, { recursive: true });
  });
  return runner;
}
