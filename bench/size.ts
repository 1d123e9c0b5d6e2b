import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { projectRoot } from '../harness/action-environment.ts';
import type { Measure } from './measure.ts';

const MAX_ARCHIVE_BYTES = 64 * 1024 * 1024;

export const size: Measure = {
  name: 'size',
  description: 'the bundle of the action, and the archive that a runner downloads',
  async run() {
    const dist = join(projectRoot, 'dist');
    const scripts = readdirSync(dist).filter((name) => name.endsWith('.js'));
    const bytes = scripts.reduce((sum, name) => sum + statSync(join(dist, name)).size, 0);
    const archive = execFileSync('git', ['archive', 'HEAD'], {
      cwd: projectRoot,
      maxBuffer: MAX_ARCHIVE_BYTES,
    });
    return [
      {
        what: 'size: scripts in dist/',
        value: bytes / 1e6,
        unit: 'MB',
        limit: 1.02,
        note: scripts.join(', '),
      },
      {
        what: 'size: archive of the last commit, compressed',
        value: gzipSync(archive, { level: 6 }).length / 1e3,
        unit: 'kB',
        limit: 290,
      },
    ];
  },
};
