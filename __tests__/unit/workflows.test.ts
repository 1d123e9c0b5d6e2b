import { readdirSync, readFileSync } from 'node:fs';
import { NoOperationTraceWriter } from '@actions/workflow-parser';
import { parseAction } from '@actions/workflow-parser/actions/action-parser';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readExamples, readReleaseTools, root } from '../../scripts/tools.ts';
import { LAST_JOB } from '../../src/changes/range.ts';

type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
interface Job {
  'timeout-minutes'?: number;
  if?: string;
  permissions?: Record<string, string>;
  /** A workflow that the job calls instead of running steps. */
  uses?: string;
  environment?: unknown;
  steps?: Step[];
}
interface Workflow {
  on: { push?: { tags?: string[] } | null; release?: unknown };
  permissions?: Record<string, string>;
  concurrency?: { group: string; 'cancel-in-progress'?: boolean | string; queue?: string };
  jobs: Record<string, Job>;
}

const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

function toSource(name: string, text: string) {
  const workflow: Workflow = parse(text);
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, job]) => job.steps ?? []);
  const own = steps.filter(({ uses }) => isThisAction(uses));
  return { name, workflow, jobs, own, usesService: own.some(isServiceStep) };
}

const workflows = readdirSync(`${root}.github/workflows`).map((file) =>
  toSource(file, read(`.github/workflows/${file}`)),
);
const examples = [...readExamples(), ...readReleaseTools()];
const sources = [...workflows, ...examples.map(({ path, text }) => toSource(path, text))];
const action: { inputs: object } = parse(read('action.yml'));
const getSource = (wanted: string) => sources.find(({ name }) => name === wanted);

function isThisAction(uses = ''): boolean {
  return /^(?:\.|[\w-]+\/docs-agent-action)\/?(?:node24)?(?:@|$)/.test(uses);
}

/** Returns whether a step uses the action with a paid key, and not with the emulator. */
function isServiceStep(step: Step): boolean {
  return isThisAction(step.uses) && String(step.with?.['api-key']).includes('secrets.');
}

const isOn = (input: unknown) => input !== undefined && input !== false && input !== 'false';

/** What a step needs. A dry run writes nothing, and waits for nothing. */
function getNeededPermissions({ with: inputs = {} }: Step): Record<string, unknown> {
  const starts = isOn(inputs['prompt']) || isOn(inputs['prompt-file']);
  const reads = isOn(inputs['include-changes']) || isOn(inputs['paths']);
  const readsPull = isOn(inputs['skip-while-pr-open']) && inputs['pr-token'] === undefined;
  return {
    ...(starts &&
      inputs['reuse'] !== 'never' && { statuses: inputs['dry-run'] === true ? 'read' : 'write' }),
    ...(reads && { contents: expect.stringMatching(/^(read|write)$/) }),
    ...(readsPull && { 'pull-requests': 'read' }),
  };
}

function getMinutes({ with: inputs = {} }: Step): number {
  const waits = inputs['wait'] !== false && inputs['dry-run'] !== true;
  return Number(inputs['timeout-minutes'] ?? (waits ? 30 : 0));
}

// The generator checks that their twins for Node 24 differ only in the version.
it.each(['action.yml', 'emulator/action.yml'])('the action that %s declares is valid', (name) => {
  const file = { name, content: read(name) };
  const { context } = parseAction(file, new NoOperationTraceWriter());
  expect(context.errors.getErrors().map(String)).toEqual([]);
});

// actionlint and zizmor check the rest: syntax, pins, triggers, expressions, credentials.
describe.each(sources)('$name', ({ name, workflow, jobs, own, usesService }) => {
  it('does not cancel a run that starts a job or a release', () => {
    const { group = '', 'cancel-in-progress': cancels = false, queue } = workflow.concurrency ?? {};
    const mustRun = usesService || ['release.yml', 'published.yml'].includes(name);
    // GitHub refuses other values, and `max` together with cancel-in-progress.
    expect(cancels === true ? [undefined] : [undefined, 'single', 'max']).toContain(queue);
    if (!mustRun || group === '') {
      return;
    }
    // A third run replaces the second. The next one makes up for that if it begins at the last job.
    const isMadeUp = own.some(({ with: inputs }) =>
      String(inputs?.['changes-since']).includes(LAST_JOB),
    );
    expect({ cancels, queue }).toEqual({ cancels: false, queue: isMadeUp ? undefined : 'max' });
  });

  it('limits permissions and time, and gives the action what it needs', () => {
    expect(workflow.permissions).toEqual({});
    // GitHub allows no time limit on a job that calls a workflow. The called workflow sets it.
    for (const [id, job] of jobs.filter(([, { uses }]) => uses === undefined)) {
      const used = (job.steps ?? []).filter(({ uses }) => isThisAction(uses));
      const needed = Object.assign({}, ...used.map(getNeededPermissions));
      expect(job.permissions ?? {}, id).toMatchObject(needed);
      const minutes = Math.max(0, ...used.filter(isServiceStep).map(getMinutes));
      expect(job['timeout-minutes'], id).toBeGreaterThan(minutes);
    }
    const given = own.flatMap((step) => Object.keys(step.with ?? {}));
    expect(given.filter((input) => !(input in action.inputs))).toEqual([]);
  });

  it('gives `statuses: write` only to a workflow job that runs no other programs', () => {
    const writers = jobs.filter(([, { permissions }]) => permissions?.['statuses'] === 'write');
    const used = writers.flatMap(([, job]) =>
      (job.steps ?? []).flatMap(({ uses, run = '' }) => uses ?? run.trim().split('\n')),
    );
    const isAction = /^(?:actions\/checkout@|\.\/(?:node24)?$|[\w-]+\/docs-agent-action\/)/;
    // Parts of the shell.
    const isHarmless = /^(?:if \[ [^`;(]+ \]; then exit 1; fi|echo "[^$`]+")$/;
    expect(used.filter((use) => !isAction.test(use) && !isHarmless.test(use))).toEqual([]);
  });

  it('starts no job for a moving tag or a pre-release', () => {
    const { push, release } = usesService ? workflow.on : {};
    const versions = ['v[0-9]+.[0-9]+.[0-9]+'];
    expect(push?.tags ?? versions).toEqual(versions);
    if (release !== undefined) {
      expect(jobs.map(([, job]) => job.if)).toContain(`\${{ !github.event.release.prerelease }}`);
    }
  });
});

it('the documentation workflow runs after publication, with a key from an environment', () => {
  const { jobs } = getSource('docs.yml')?.workflow ?? {};
  // Without a deployment for each run.
  expect(jobs?.['docs']?.environment).toEqual({ name: 'docs', deployment: false });
  const caller = getSource('published.yml')?.workflow;
  expect(caller?.on).toEqual({ release: { types: ['published'] } });
  expect(caller?.jobs['docs']?.uses).toBe('./.github/workflows/docs.yml');
});

it('the release workflow can write only in a workflow job that installs nothing', () => {
  const { jobs = [] } = getSource('release.yml') ?? {};
  const writers = jobs.filter(([, job]) => Object.values(job.permissions ?? {}).includes('write'));
  expect(writers.map(([id]) => id)).toEqual(['draft']);
  const steps = writers.flatMap(([, job]) => job.steps ?? []);
  expect(steps.filter(({ run }) => /\b(?:npm|npx|tsx)\b/.test(run ?? ''))).toEqual([]);
});
