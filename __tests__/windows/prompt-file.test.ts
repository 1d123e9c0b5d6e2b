import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin, notStarted, opened, success } from '../e2e/scenario.ts';
import { actionPlatform } from '../harness/action-environment.ts';
import { scriptedService } from '../helpers/servers.ts';

const onWindows = describe.runIf(actionPlatform === 'win32');
const PROMPT = 'Describe what is new.';
const SECRET = 'outside-of-the-workspace';

/** The workspace holds `Docs/Prompt file.md`. Beside it is `outside.txt`. */
let workspace = '';

beforeAll(() => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'Workspace-')));
  workspace = join(root, 'work');
  mkdirSync(join(workspace, 'Docs'), { recursive: true });
  writeFileSync(join(workspace, 'Docs', 'Prompt file.md'), `${PROMPT}\r\n`);
  writeFileSync(join(root, 'outside.txt'), SECRET);
});

afterAll(() => rmSync(join(workspace, '..'), { recursive: true, maxRetries: 3 }));

/**
 * Returns the options for a path in which angle brackets name parts of the workspace, as the action
 * sees them.
 */
function toOptions(pattern: string) {
  // Wine shows the root of this machine as drive Z.
  const folder = workspace.startsWith('/') ? `Z:${workspace.replaceAll('/', '\\')}` : workspace;
  const [drive, path] = [folder.slice(0, 2), folder.slice(2)];
  const pieces: Record<string, string> = {
    folder,
    drive,
    path,
    'lower drive': drive.toLowerCase(),
  };
  const input = pattern.replace(/<([a-z ]+)>/g, (_, name: string) => pieces[name] ?? '');
  return { inputs: { prompt: '', 'prompt-file': input }, env: { GITHUB_WORKSPACE: folder } };
}

const file = 'Docs\\Prompt file.md';

onWindows('on a Windows runner, a prompt file in the workspace', { concurrent: true }, () => {
  it.each([
    ['with slashes', 'Docs/Prompt file.md'],
    ['through a folder and back', `Docs\\..\\${file}`],
    ['in another letter case', file.toUpperCase()],
    ['as an absolute path', `<folder>\\${file}`],
    ['from the root of the drive', `<path>\\${file}`],
    ['with white space around it', `  ${file}\t`],
  ])('is read %s', async (_title, path) => {
    const service = await scriptedService({ get: [opened] });
    await begin(service.url, toOptions(path)).end(service, success);
    expect(JSON.parse(service.seen('create')[0]?.body.toString() ?? '')).toEqual({
      prompt: PROMPT,
    });
  });
});

onWindows('on a Windows runner, prompt-file is refused', { concurrent: true }, () => {
  /** Expects the action to send nothing, and to show no part of a file outside the workspace. */
  async function refuse(path: string, reason: RegExp): Promise<void> {
    const service = await scriptedService();
    const result = await begin(service.url, toOptions(path)).end(
      service,
      notStarted('invalid-input'),
    );
    expect(result.annotations.errors[0]).toContain('`prompt-file`');
    expect(result.annotations.errors[0]).toMatch(reason);
    expect(`${result.stdout}${result.summary}${result.outputText}`).not.toContain(SECRET);
    expect(service.connections).toBe(0);
  }

  it.each([
    ['the parent', '..\\outside.txt'],
    ['the parent of a missing folder', 'none\\..\\..\\outside.txt'],
    ['a folder with the name of the workspace as a prefix', '<folder>-2\\prompt.md'],
    ['the root of the drive', '\\outside.txt'],
    ['another drive', 'C:\\Windows\\win.ini'],
    ['a share', '\\\\localhost\\C$\\Windows\\win.ini'],
    ['an extended path', '\\\\?\\<folder>\\..\\outside.txt'],
    ['a device', '\\\\.\\NUL'],
    ['a stream that climbs', `${file}:\\..\\..\\..\\outside.txt:x`],
    ['a path of a POSIX system', '/etc/passwd'],
  ])('if it leaves the workspace: %s', (_title, path) => refuse(path, /is outside the workspace/));

  it.each([
    ['a device', 'NUL'],
    ['the console', 'CON'],
    ['a missing stream of the file', `${file}:hidden`],
    ['two dots and a space', '.. \\outside.txt'],
    ['a dot at the end', `${file}.`],
  ])('if it is not a file in the workspace: %s', (_title, path) =>
    refuse(path, /was not found in the workspace|is not a file|is outside the workspace/),
  );

  it('if it is a folder', () => refuse('Docs', /is not a regular file/));
});
