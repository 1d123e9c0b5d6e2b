import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { adminKey } from '../emulator/keys.ts';
import type { Emulator } from '../emulator/server.ts';
import type { ActRun } from './act.ts';
import { readExamples } from './examples.ts';
import { listScenarios, type Scenario } from './scenarios.ts';
import { root } from './tools.ts';

/** A test by its name. */
export interface Test {
  readonly name: string;
  /** Rejects if a result is wrong. */
  readonly run: () => Promise<void>;
}

/** Runs the text of a workflow for an event. */
export type Play = (text: string, options: PlayOptions) => Promise<ActRun>;

interface PlayOptions {
  /** The name and the payload of the event, and further arguments of act. */
  readonly event: readonly string[];
  /** Default: `quick`. */
  readonly project?: string | undefined;
  readonly args?: readonly string[] | undefined;
}

const push = ['push', JSON.stringify({ ref: 'refs/tags/v1.2.0' })];

/** Returns the texts of the examples and of our own workflows by their paths. */
export function readWorkflows(): ReadonlyMap<string, string> {
  const own = ['docs', 'self-test'].map((name) => `.github/workflows/${name}.yml`);
  return new Map([
    ...readExamples(root).map(({ path, text }) => [path, text] as const),
    ...own.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const),
  ]);
}

/** Returns the tests of all workflows. */
export function listTests(emulator: Emulator, chatUrl: string, play: Play): Test[] {
  const workflows = readWorkflows();
  const find = (name: string): string => {
    const workflow = workflows.get(name);
    assert.ok(workflow, `there is no workflow ${name}`);
    return workflow;
  };
  const readPrompts = (): string[] =>
    emulator.requests.flatMap(({ route, body }) =>
      route?.call === 'create' ? [JSON.parse(body).prompt as string] : [],
    );
  const scenarios = listScenarios([...workflows.keys()], {
    jobId: emulator.addJob('quick').id,
    slowJobId: emulator.addJob('slow').id,
    chatUrl,
  });
  const tagged = find('examples/docs.yml');
  return [
    playTwoTriggers(tagged, find('examples/release-published.yml'), play),
    playReRun(tagged, play),
    ...scenarios.map((scenario) => toTest(scenario, find(scenario.workflow), play, readPrompts)),
  ];
}

function toTest(
  scenario: Scenario,
  workflow: string,
  play: Play,
  readPrompts: () => string[],
): Test {
  const { title = '', replace, inputs, isPrerelease = false, project, args } = scenario;
  const { jobs = ['success'], outcomes = ['pull-request-opened'], check } = scenario;
  return {
    name: `${scenario.workflow} ${title}`.trim(),
    async run() {
      const changed = replace === undefined ? workflow : replaceOnce(workflow, ...replace);
      const event = inputs === undefined ? toEvent(changed, isPrerelease) : toDispatch(inputs);
      const run = await play(changed, { event, project, args });
      showLogOnError(run, () => {
        if (jobs !== 'any') {
          assert.deepEqual(run.jobs, jobs);
        }
        if (outcomes !== 'any') {
          assert.deepEqual(run.outcomes, outcomes);
        }
        assert.ok(!run.log.includes(adminKey), 'the key is in the log');
        check?.(run, readPrompts());
      });
    },
  };
}

function showLogOnError({ log }: ActRun, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new Error(`${error}\n${log}`);
  }
}

function replaceOnce(workflow: string, from: string, to: string): string {
  assert.ok(workflow.includes(from), `the workflow has no ${from}`);
  return workflow.replace(from, to);
}

/**
 * Returns the name and the payload of the first of: a published release, a pushed tag, a push to
 * main, a dispatch without inputs.
 */
function toEvent(workflow: string, isPrerelease = false): string[] {
  const { on } = parse(workflow) as { on: Record<string, { tags?: unknown } | null> };
  if ('release' in on) {
    const release = { tag_name: 'v1.2.0', prerelease: isPrerelease };
    return ['release', JSON.stringify({ action: 'published', release })];
  }
  if (on['push'] === undefined) {
    return toDispatch([]);
  }
  const isTag = on['push']?.tags !== undefined;
  return isTag ? push : ['push', JSON.stringify({ ref: 'refs/heads/main' })];
}

function toDispatch(inputs: readonly string[]): string[] {
  return ['workflow_dispatch', '{}', ...inputs.flatMap((input) => ['--input', input])];
}

/** Two workflows for one tag at the same moment. */
function playTwoTriggers(tagged: string, published: string, play: Play): Test {
  return {
    name: 'examples/docs.yml and examples/release-published.yml share a job with reuse: release',
    async run() {
      const project = 'slow';
      const runs = await Promise.all(
        [tagged, published].map((workflow) => {
          // Not the prompt of the other examples, which leave records for the same tag.
          const changed = replaceOnce(workflow, 'for this release.', 'for this tag.');
          const text = replaceOnce(changed, 'with:\n', 'with:\n          reuse: release\n');
          return play(text, { event: toEvent(text), project });
        }),
      );
      for (const run of runs) {
        showLogOnError(run, () => assert.deepEqual(run.outcomes, ['pull-request-opened']));
      }
      const [first = {}, second = {}] = runs.map((run) => run.outputs('docs'));
      assert.equal(first['job-id'], second['job-id']);
      assert.deepEqual([first['reused'], second['reused']].sort(), ['false', 'true']);
    },
  };
}

/** A run that times out, and its re-run, which finds the record of the job. */
function playReRun(workflow: string, play: Play): Test {
  return {
    name: 'examples/docs.yml waits for the same job in a re-run',
    async run() {
      const short = replaceOnce(workflow, 'with:\n', 'with:\n          timeout-minutes: 0.05\n');
      const playAttempt = (changed: string, attempt: number): Promise<ActRun> => {
        const args = ['--env', 'GITHUB_RUN_ID=77', '--env', `GITHUB_RUN_ATTEMPT=${attempt}`];
        return play(changed, { event: push, project: 'slow', args });
      };
      const first = await playAttempt(short, 1);
      showLogOnError(first, () => assert.deepEqual(first.outcomes, ['timed-out']));
      const second = await playAttempt(workflow, 2);
      showLogOnError(second, () => assert.deepEqual(second.outcomes, ['pull-request-opened']));
      assert.equal(second.outputs('docs')['job-id'], first.outputs('docs')['job-id']);
      assert.equal(second.outputs('docs')['reused'], 'true');
    },
  };
}
