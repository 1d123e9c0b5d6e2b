import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** Returns the path of a folder that exists while the tests of this file or `describe` run. */
export function temporaryFolder(name: string): string {
  const folder = join(tmpdir(), `${name}-${randomUUID()}`);
  beforeAll(() => {
    mkdirSync(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
