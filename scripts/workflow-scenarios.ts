import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminKey } from '../emulator/keys.ts';
import type { ActOptions, ActRun } from './act.ts';
import { readExamples } from './examples.ts';
import { root } from './tools.ts';

/** A run of act, and what it should leave. */
export interface Scenario {
  readonly name: string;
  readonly node?: string;
  readonly args: readonly string[];
  readonly onEvent?: ActOptions['onEvent'];
  /** Throws if the run is not as it should be. */
  readonly check: (run: ActRun) => void;
}

/** Where the scenarios take place. */
export interface Scene {
  /** The working copy, in which variants of workflows are written. */
  readonly workspace: string;
  /** Address of an emulator for the workflows that start none. */
  readonly baseUrl: string;
  /** Jobs that it has, of a project that opens a pull request. */
  readonly jobIds: readonly [string, string];
  /** The prompts of the creates that it has received. */
  readonly readPrompts: () => readonly string[];
  /** Path of another node to run the endings with, too. */
  readonly otherNode: string | undefined;
}

export const selfTest = '.github/workflows/self-test.yml';
export const action = 'OWNER/docs-agent-action';

/** Returns all scenarios, and writes the workflows that only they need. */
export function listScenarios(scene: Scene): Scenario[] {
  return [...listSelfTests(scene), ...listDocs(scene), ...listExamples(scene)];
}

function listSelfTests({ workspace, otherNode: other }: Scene): Scenario[] {
  const failing = ['failed', 'timed-out', 'invalid-input', 'unauthorized', 'start-unknown', 'lost'];
  const endings = (node: string): Scenario => ({
    name: `self-test: every ending, node ${readVersion(node)}`,
    node,
    args: ['push', '-W', selfTest, '-j', 'outcomes', '--matrix', 'os:ubuntu-latest'],
    check(run) {
      assert.deepEqual(run.jobs, ['success']);
      const failed = [...run.steps].filter(([, result]) => result === 'failure').map(([id]) => id);
      assert.deepEqual(failed, failing);
      assert.match(run.log, new RegExp(`^Node v${readVersion(node)}$`, 'm'));
      assert.match(run.summary('pull-request'), /acme\/docs\\#128/);
      assert.match(
        run.summary('timed-out'),
        new RegExp(`^job-id: ${run.outputs('timed-out')['job-id']}$`, 'm'),
      );
      assert.ok(!run.log.includes(adminKey), 'the key is in the log');
    },
  });
  return [
    endings(process.execPath),
    ...(other === undefined ? [] : [endings(other)]),
    {
      name: 'self-test: several prompts, both declarations',
      ...(other !== undefined && { node: other }),
      args: ['push', '-W', selfTest, '-j', 'prompts'],
      check(run) {
        assert.deepEqual(run.jobs, ['success', 'success', 'success', 'success']);
        assert.ok(run.steps.has('node20') && run.steps.has('node24'));
      },
    },
    {
      name: 'self-test: a wrong output fails its workflow job',
      args: ['push', '-W', writeWrongSelfTest(workspace), '-j', 'prompts', '--matrix', 'kind:one line'],
      check(run) {
        assert.deepEqual(run.jobs, ['failure']);
        assert.match(run.log, /node20: outcome is "no-pull-request", not "archived"/);
      },
    },
    {
      name: 'self-test: a cancelled run leaves the id of its job',
      args: ['push', '-W', selfTest, '-j', 'cancelled'],
      // It says so once; a second signal would end act without the steps that follow.
      onEvent({ msg, stepID: [id] }, child) {
        if (id === 'cancelled' && msg.includes('  waiting, ')) child.kill('SIGINT');
      },
      check(run) {
        assert.equal(run.steps.get('cancelled'), 'failure');
        const { 'job-id': jobId = '' } = run.outputs('cancelled');
        assert.match(jobId, /^[\w-]+$/);
        assert.match(run.log, new RegExp(`job ${jobId} is started`));
        assert.match(run.summary('cancelled'), new RegExp(`^job-id: ${jobId}$`, 'm'));
        assert.match(run.log, new RegExp(`^cancelled: failure +${jobId}$`, 'm'), 'a later step reads it');
      },
    },
  ];
}

/** Writes the self-test with one expectation that is wrong; returns its path in the working copy. */
function writeWrongSelfTest(workspace: string): string {
  const text = readFileSync(join(workspace, selfTest), 'utf8');
  const wrong = text.replace('node20: { outcome: no-pull-request', 'node20: { outcome: archived');
  assert.notEqual(wrong, text);
  const path = '.github/workflows/wrong-self-test.yml';
  writeFileSync(join(workspace, path), wrong);
  return path;
}

function listDocs({ baseUrl, readPrompts }: Scene): Scenario[] {
  const workflow = '.github/workflows/docs.yml';
  const prompt = 'Explain `--speed`, "quoted" & $PATH.';
  const checkOpened = (run: ActRun): void => {
    assert.deepEqual(run.jobs, ['success']);
    assert.match(run.log, /^Review https:\/\/github\.com\/acme\/docs\/pull\/128$/m);
    assert.match(run.summary('docs'), /Pull request opened/);
    assert.ok(!run.log.includes(adminKey), 'the key is in the log');
  };
  return [
    {
      name: 'docs: a release tag',
      args: ['push', '-e', 'tag.json', '-W', workflow, ...toSettings(baseUrl, 'quick')],
      check(run) {
        checkOpened(run);
        const received = readPrompts().find((text) =>
          text.startsWith('Update the documentation for this release.'),
        );
        assert.match(received ?? '', /^Repository: acme\/docs-agent-action \(https:\/\/github\.com\/acme/m);
        assert.match(received ?? '', /^Tag: v1\.2\.0$/m);
      },
    },
    {
      name: 'docs: dispatched with a prompt',
      args: [
        'workflow_dispatch',
        '--input',
        `prompt=${prompt}`,
        '-W',
        workflow,
        ...toSettings(baseUrl, 'gitlab'),
      ],
      check(run) {
        assert.deepEqual(run.jobs, ['success']);
        assert.equal(run.outputs('docs')['pr-number'], '42');
        assert.equal(readPrompts().filter((text) => text === prompt).length, 1);
      },
    },
    {
      name: 'docs: a job that fails fails the run',
      args: ['push', '-e', 'tag.json', '-W', workflow, ...toSettings(baseUrl, 'failing')],
      check(run) {
        assert.deepEqual(run.jobs, ['failure']);
        assert.notEqual(run.exitCode, 0);
        assert.equal(run.outputs('docs')['outcome'], 'failed');
        assert.ok(!run.log.includes('Review '), 'a step after the failed one ran');
      },
    },
    {
      name: 'docs: without settings nothing is sent',
      args: ['push', '-e', 'tag.json', '-W', workflow],
      check(run) {
        assert.deepEqual(run.jobs, ['failure']);
        assert.equal(run.outputs('docs')['error-code'], 'invalid-input');
        assert.match(run.summary('docs'), /`api-key` is missing/);
      },
    },
  ];
}

interface ExampleRun {
  /** The event and its inputs. */
  readonly event: readonly string[];
  readonly project?: string;
  readonly jobs?: readonly string[];
  /** What the log of the run holds. */
  readonly log: RegExp;
}

const tagPush = ['push', '-e', 'tag.json'];
const opened = /The agent opened https:\/\/github\.com\/acme\/docs\/pull\/128/;

/** How each example of the documentation is set off, and what comes of it. */
function listExampleRuns({ baseUrl, jobIds }: Scene): Readonly<Record<string, ExampleRun>> {
  const dispatch = (...inputs: string[]): string[] => [
    'workflow_dispatch',
    ...inputs.flatMap((input) => ['--input', input]),
  ];
  return {
    'docs.yml': { event: tagPush, log: /^Review https:\/\/github\.com\/acme\/docs\/pull\/128$/m },
    'rehearsal.yml': { event: dispatch(), log: /^pull-request-opened https:\/\/github\.com\/acme/m },
    'button.yml': { event: dispatch('prompt=Explain everything'), log: opened },
    'merge.yml': { event: ['push', '-e', 'main.json'], log: opened },
    'projects.yml': { event: tagPush, jobs: ['success', 'success'], log: opened },
    'start.yml': { event: tagPush, project: 'slow', log: /^Started [\w-]+$/m },
    'attach.yml': { event: dispatch(`job-id=${jobIds[0]}`), log: opened },
    'follow-up.yml': { event: dispatch(`job-id=${jobIds[1]}`, 'prompt=Shorter'), log: opened },
    'chat.yml': { event: [...tagPush, '--secret', `CHAT_WEBHOOK=${baseUrl}/chat`], log: /Not found/i },
    'require.yml': {
      event: tagPush,
      project: 'no-change',
      jobs: ['failure'],
      log: /no documentation pull request/,
    },
    'prompt-file.yml': { event: tagPush, log: opened },
    // Loopback is never proxied, so the proxy that is not there is not missed.
    'proxy.yml': { event: tagPush, log: opened },
    'permissions.yml': { event: tagPush, log: opened },
  };
}

/** The examples as their readers copy them, but for the address, the first with either declaration of the action. */
function listExamples(scene: Scene): Scenario[] {
  const runs = listExampleRuns(scene);
  return readExamples(root).flatMap(({ file, name, text }) => {
    const run = runs[name];
    assert.ok(run, `${file}: no run is known for the example ${name}`);
    const declarations = name === 'docs.yml' ? [`${action}@v1`, `${action}/node24@v1`] : [`${action}@v1`];
    return declarations.map((uses, index) => {
      const path = `.github/workflows/example-${index}-${name}`;
      writeFileSync(join(scene.workspace, path), toLocalExample(text, uses));
      return {
        name: `${file}: ${name} with ${uses}`,
        args: [...run.event, '-W', path, ...toSettings(scene.baseUrl, run.project ?? 'quick')],
        check({ jobs, log }: ActRun) {
          assert.deepEqual(jobs, run.jobs ?? ['success']);
          assert.match(log, run.log);
        },
      };
    });
  });
}

function toLocalExample(text: string, uses: string): string {
  const local = text.replaceAll(`${action}@v1`, uses);
  return local.includes('base-url:')
    ? local
    : local.replace(/\n( +)project-id:/g, `\n$1base-url: \${{ vars.DOCS_AGENT_BASE_URL }}\n$1project-id:`);
}

function toSettings(baseUrl: string, projectId: string): string[] {
  return [
    ...['--var', `DOCS_AGENT_BASE_URL=${baseUrl}`, '--var', `DOCS_PROJECT_ID=${projectId}`],
    ...['--secret', `DOCS_AGENT_API_KEY=${adminKey}`],
  ];
}

function readVersion(node: string): string {
  return execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);
}
