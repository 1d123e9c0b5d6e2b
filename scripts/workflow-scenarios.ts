import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminKey } from '../emulator/keys.ts';
import {
  getSettings,
  type PlayOptions,
  type Scenario,
  type Scene,
  toDispatch,
} from './scenario.ts';

const selfTest = '.github/workflows/self-test.yml';

/**
 * Returns the scenarios of the self-test and of docs.yml. Writes the workflows that only they need.
 */
export function listWorkflowScenarios(scene: Scene): Scenario[] {
  return [...listSelfTests(scene), ...listDocs(scene)];
}

function listSelfTests({ workspace, otherNode: other }: Scene): Scenario[] {
  const failing = ['failed', 'timed-out', 'invalid-input', 'unauthorized', 'start-unknown', 'lost'];
  const outcomes = (node: string): Scenario => ({
    name: `self-test: every outcome, node ${readVersion(node)}`,
    async play(play) {
      const args = ['push', '-W', selfTest, '-j', 'outcomes', '--matrix', 'os:ubuntu-latest'];
      const run = await play({ args, node });
      assert.deepEqual(run.jobs, ['success']);
      const failed = [...run.steps].filter(([, result]) => result === 'failure').map(([id]) => id);
      assert.deepEqual(failed, failing);
      assert.match(run.log, new RegExp(`^Node v${readVersion(node)}$`, 'm'));
      assert.match(run.summary('pull-request'), /https:\/\/github\.com\/acme\/docs\/pull\/128/);
      assert.match(run.summary('timed-out'), toJobIdLine(run.outputs('timed-out')['job-id']));
      assert.ok(!run.log.includes(adminKey), 'the key is in the log');
    },
  });
  return [
    outcomes(process.execPath),
    ...(other === undefined ? [] : [outcomes(other)]),
    {
      name: 'self-test: several prompts, both declarations',
      async play(play) {
        const args = ['push', '-W', selfTest, '-j', 'prompts'];
        const run = await play({ args, ...(other !== undefined && { node: other }) });
        assert.deepEqual(run.jobs, ['success', 'success', 'success', 'success']);
        assert.ok(run.steps.has('node20') && run.steps.has('node24'));
      },
    },
    {
      name: 'self-test: a wrong output fails its workflow job',
      async play(play) {
        const workflow = writeWrongSelfTest(workspace);
        const run = await play({
          args: ['push', '-W', workflow, '-j', 'prompts', '--matrix', 'kind:one line'],
        });
        assert.deepEqual(run.jobs, ['failure']);
        assert.match(run.log, /node20: outcome is "no-pull-request", not "archived"/);
      },
    },
    {
      name: 'self-test: a canceled run leaves the id of its job',
      async play(play) {
        let isSignaled = false;
        const run = await play({
          args: ['push', '-W', selfTest, '-j', 'cancelled'],
          // A second signal would end act before the following steps.
          onEvent({ msg, stepID: [id] }, child) {
            if (isSignaled || id !== 'cancelled' || !/\bwaiting\b/i.test(msg)) return;
            isSignaled = true;
            child.kill('SIGINT');
          },
        });
        assert.equal(run.steps.get('cancelled'), 'failure');
        const { 'job-id': jobId = '' } = run.outputs('cancelled');
        assert.match(jobId, /^[\w-]+$/);
        assert.match(run.summary('cancelled'), toJobIdLine(jobId));
        assert.match(
          run.log,
          new RegExp(`^cancelled: failure +${jobId}$`, 'm'),
          'a later step reads it',
        );
      },
    },
  ];
}

/** The line to paste into a workflow, with or without quotes. */
function toJobIdLine(jobId: string | undefined): RegExp {
  assert.ok(jobId);
  return new RegExp(`^job-id: (['"]?)${jobId}\\1(?: # and no prompt)?$`, 'm');
}

/** Writes the self-test with one wrong expectation; returns its path in the working copy. */
function writeWrongSelfTest(workspace: string): string {
  const text = readFileSync(join(workspace, selfTest), 'utf8');
  const wrong = text.replace('node20: { outcome: no-pull-request', 'node20: { outcome: archived');
  assert.notEqual(wrong, text);
  const path = '.github/workflows/wrong-self-test.yml';
  writeFileSync(join(workspace, path), wrong);
  return path;
}

/** docs.yml, started by hand. release-scenarios.ts starts it with a release. */
function listDocs({ baseUrl, readPrompts, addJob }: Scene): Scenario[] {
  const workflow = '.github/workflows/docs.yml';
  const prompt = 'Explain `--speed`, "quoted" & $PATH.';
  const dispatch = (project: string, ...inputs: string[]): PlayOptions => ({
    args: [...toDispatch(inputs), '-W', workflow, ...getSettings(baseUrl, project)],
  });
  return [
    {
      name: 'docs.yml: dispatched with a prompt',
      async play(play) {
        const run = await play(dispatch('gitlab', `prompt=${prompt}`));
        assert.deepEqual(run.jobs, ['success']);
        assert.equal(run.outputs('docs')['pr-number'], '42');
        assert.match(run.log, /^Review https:\/\/gitlab\.com\//m);
        assert.equal(readPrompts().filter((text) => text === prompt).length, 1);
        assert.ok(!run.log.includes(adminKey), 'the key is in the log');
      },
    },
    {
      name: 'docs.yml: dispatched with a job id, it waits for that job',
      async play(play) {
        const jobId = addJob();
        const run = await play(dispatch('quick', `job-id=${jobId}`));
        assert.deepEqual(run.jobs, ['success']);
        assert.equal(run.outputs('docs')['job-id'], jobId);
      },
    },
    {
      name: 'docs.yml: a job that fails fails the run',
      async play(play) {
        const run = await play(dispatch('failing', `prompt=${prompt} Fail.`));
        assert.deepEqual(run.jobs, ['failure']);
        assert.notEqual(run.exitCode, 0);
        assert.equal(run.outputs('docs')['outcome'], 'failed');
        assert.ok(!run.log.includes('Review '), 'a step after the failed one ran');
      },
    },
    {
      name: 'docs.yml: dispatched with an empty form, it starts nothing',
      async play(play) {
        const run = await play(dispatch('quick'));
        assert.deepEqual(run.jobs, ['failure']);
        assert.equal(run.outputs('docs')['error-code'], 'invalid-input');
        assert.match(run.summary('docs'), /`prompt`/);
      },
    },
    {
      name: 'docs.yml: without settings, nothing is sent',
      async play(play) {
        const run = await play({
          args: ['workflow_dispatch', '-W', workflow, '--input', 'prompt=Explain'],
        });
        assert.deepEqual(run.jobs, ['failure']);
        assert.equal(run.outputs('docs')['error-code'], 'invalid-input');
        assert.match(run.summary('docs'), /`api-key`/);
      },
    },
  ];
}

function readVersion(node: string): string {
  return execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);
}
