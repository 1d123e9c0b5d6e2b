import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readExamples, readReleaseTools, root } from '../../scripts/tools.ts';
import { releaseSha } from '../github/sample.ts';
import { showOnFailure } from '../harness/failure-report.ts';
import type { ActRun } from './act.ts';
import { serviceKey, setUp } from './set-up.ts';

/** A run of a workflow, and what it must result in. */
interface Scenario {
  /** The path of the workflow. */
  readonly workflow: string;
  /** What it shows. */
  readonly title: string;
  /** Texts of the workflow, each with the text that replaces it in this run. */
  readonly replace?: readonly (readonly [string, string])[];
  /** Inputs of a dispatch. If absent, the workflow's first trigger starts it. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** The branch or tag of a dispatch. */
  readonly ref?: string;
  /** The release is a pre-release. */
  readonly prerelease?: boolean;
  /** The project of the emulator. Default: `quick`. */
  readonly project?: string;
  /** More arguments of act. */
  readonly args?: readonly string[];
  /**
   * The results of the jobs, sorted. Default: a single successful job. `any` for a matrix in which
   * one fails, since act reports that failure for jobs that end later, too.
   */
  readonly jobs?: readonly string[] | 'any';
  /** The outcomes of the steps, sorted. Default: a single `pull-request-opened`. */
  readonly outcomes?: readonly string[] | 'any';
  /** Checks everything else. Throws if something is wrong. */
  readonly check?: (run: ActRun, prompts: readonly string[]) => void;
}

const opened = 'pull-request-opened';
const selfTest = '.github/workflows/self-test.yml';
const ownDocs = '.github/workflows/docs.yml';
const published = '[{"name":"@acme/sdk","version":"1.4.0"},{"name":"@acme/cli","version":"2.0.1"}]';
const quoted = 'Explain `--speed`, "quoted" & $PATH.';

const changesets = 'release-tool.yml with changesets';

const page = readFileSync(join(root, 'docs', 'recipes.md'), 'utf8');

const recipe = (name: string): string => `examples/${name}.yml`;
/** Expects a prompt that matches. */
const sends =
  (prompt: RegExp) =>
  (_: ActRun, prompts: readonly string[]): void =>
    expect(prompts.join('\n')).toMatch(prompt);
const logs =
  (text: RegExp) =>
  ({ log }: ActRun): void =>
    expect(log).toMatch(text);
/** Returns the lines of the recipes' page that begin with a key, to be added to a workflow. */
function readLines(key: string): string {
  const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, lines = '']) => lines);
  return blocks.find((lines) => lines.trimStart().startsWith(`${key}:`)) ?? '';
}

const inRepository = (name: string): string[] => ['--env', `GITHUB_REPOSITORY=${name}`];
const two = ['success', 'success'];
const skipped: Partial<Scenario> = {
  title: 'skips the job if no file matches',
  replace: [['src/**\n', 'assets/**\n']],
  outcomes: ['skipped'],
};

const workflows = new Map([
  ...[...readExamples(), ...readReleaseTools()].map(({ path, text }) => [path, text] as const),
  ...[selfTest, ownDocs].map((path) => [path, readFileSync(join(root, path), 'utf8')] as const),
]);
const { emulator, chat, privateDocs, play } = await setUp([...workflows.values()]);
emulator.addJob('slow', 'a-slow-job');

const scenarios: readonly Scenario[] = [
  {
    workflow: selfTest,
    title: 'shows every outcome',
    args: ['-j', 'outcomes', '--matrix', 'os:ubuntu-latest'],
    outcomes: 'any',
  },
  {
    workflow: selfTest,
    title: 'sends several prompts with both declarations',
    args: ['-j', 'prompts'],
    jobs: Array(4).fill('success'),
    outcomes: 'any',
  },
  {
    workflow: selfTest,
    title: 'fails if an output is wrong',
    args: ['-j', 'prompts', '--matrix', 'kind:one line'],
    replace: [['node20: { job-result: no-pull-request', 'node20: { job-result: archived']],
    jobs: ['failure'],
    outcomes: 'any',
    check: logs(/job-result is "no-pull-request", not "archived"/),
  },
  {
    workflow: ownDocs,
    title: 'sends the prompt of the form',
    inputs: { prompt: quoted },
    check: (_, prompts) => expect(prompts).toContain(quoted),
  },
  {
    workflow: ownDocs,
    title: 'sends the prompt in the repository for a release',
    // act can't run the caller, which asks GitHub about the release.
    replace: [['  workflow_call:\n', '  release:\n  workflow_call:\n']],
    check: sends(/docs-agent-action[\s\S]*^Tag: v1\.2\.0$/m),
  },
  {
    workflow: recipe('docs'),
    title: 'sends the facts of a release tag',
    check: sends(/^Update .*\n\n---\n[\s\S]*^Tag: v1\.2\.0$/m),
  },
  {
    workflow: recipe('docs'),
    title: 'follows up on a job',
    project: 'slow',
    inputs: { 'job-id': 'a-slow-job', prompt: 'Shorter' },
    check: (run) => expect(run.outputs('docs')['job-id']).toBe('a-slow-job'),
  },
  ...['docs', 'rehearsal', 'organization-caller'].map((name) => ({
    workflow: recipe(name),
    title: 'sends the prompt of the form',
    inputs: { prompt: `Explain ${name}` },
    check: sends(new RegExp(`Explain ${name}`)),
  })),
  ...[ownDocs, ...['docs', 'organization-caller'].map(recipe)].map((workflow) => ({
    workflow,
    title: 'starts nothing for an empty form',
    inputs: {},
    jobs: ['failure'],
    outcomes: ['not-started'],
  })),
  ...[opened, 'skipped'].map((outcome) => ({
    workflow: recipe('docs'),
    title: `takes the lines for paths and approval: ${outcome}`,
    replace: [
      ['jobs:\n  docs:\n', `jobs:\n  docs:\n${readLines('environment')}`],
      ["== 'tag' }}\n", `== 'tag' }}\n${readLines('paths')}`],
      ['src/**\n', outcome === opened ? 'src/**\n' : 'assets/**\n'],
    ] as const,
    outcomes: [outcome],
  })),
  {
    workflow: recipe('docs'),
    title: 'makes up for a release that was missed',
    inputs: { prompt: 'Better late than never' },
    ref: 'refs/tags/v1.1.0',
    check: sends(/^Better late.*\n[\s\S]*^Tag: v1\.1\.0$/m),
  },
  ...['rehearsal', 'organization-caller', 'release-published'].map((name) => ({
    workflow: recipe(name),
    title: 'starts a job for a release',
  })),
  {
    workflow: recipe('rehearsal'),
    title: 'rehearses without the service',
    inputs: { prompt: 'Rehearse' },
    args: ['--var', 'DOCS_AGENT_REHEARSAL=failing'],
    jobs: ['failure'],
    outcomes: ['failed'],
    check: (_, prompts) => expect(prompts).not.toContain('Rehearse'),
  },
  ...[recipe('release-tool'), 'release-tool.yml with semantic-release'].flatMap(
    (workflow): Scenario[] => [
      {
        workflow,
        title: 'starts a job for the tag that the tool creates',
        args: ['--env', 'RELEASE_TAG=v1.1.0'],
        jobs: two,
        check: sends(/^Tag: v1\.1\.0$/m),
      },
      { workflow, title: 'starts nothing without a release', outcomes: [] },
    ],
  ),
  {
    workflow: changesets,
    title: 'starts one job for all packages',
    args: ['--env', `PUBLISHED=${published}`],
    jobs: two,
    check: sends(/^Tag: @acme\/sdk@1\.4\.0$/m),
  },
  { workflow: changesets, title: 'starts nothing without packages', outcomes: [] },
  {
    workflow: recipe('release-published'),
    title: 'starts nothing for a pre-release',
    prerelease: true,
    jobs: [],
    outcomes: [],
  },
  ...['nightly', 'push'].flatMap((name): Scenario[] => [
    {
      workflow: recipe(name),
      title: 'starts a job about what changed since the last one',
      args: inRepository(`acme/${name}`),
      check: sends(/^Branch: main$[\s\S]*^- \w+ Read a new gauge/m),
    },
    { workflow: recipe(name), title: '', ...skipped, args: inRepository(`acme/${name}-quiet`) },
    {
      workflow: recipe(name),
      title: 'marks the first run',
      args: inRepository(`acme/${name}-new`),
      outcomes: ['skipped'],
      check: logs(/This is the first run/),
    },
    {
      workflow: recipe(name),
      title: 'starts nothing while the last pull request is open',
      args: inRepository(`acme/${name}-open`),
      outcomes: ['skipped'],
      check: (run) => expect(run.outputs('docs')['pr-link']).toMatch(/acme\/docs\/pull\/128$/),
    },
  ]),
  {
    workflow: recipe('private-docs'),
    title: 'reads the pull request of its job',
    args: [...inRepository('acme/private-docs'), ...privateDocs],
    check: (run) => expect(run.outputs('docs')['pr-title']).toMatch(/^Describe v1\.2\.0/),
  },
  {
    workflow: recipe('private-docs'),
    title: 'starts nothing while the last pull request is open',
    args: [...inRepository('acme/private-docs-open'), ...privateDocs],
    outcomes: ['skipped'],
    check: logs(/still open/),
  },
  {
    workflow: recipe('private-docs'),
    title: 'starts nothing with a token that cannot read pull requests',
    replace: [['secrets.DOCS_READ_TOKEN', 'github.token']],
    args: [...inRepository('acme/private-docs-open'), ...privateDocs],
    jobs: ['failure'],
    outcomes: ['not-started'],
    check: (run) => expect(run.outputs('docs')['error-code']).toBe('pr-unknown'),
  },
  {
    workflow: recipe('monorepo'),
    title: 'starts a job for each package that changed',
    args: inRepository('acme/monorepo'),
    jobs: [...two, 'success'],
    outcomes: [opened, opened, 'skipped'],
    check: sends(/documentation of sdk [\s\S]*^- modified packages\/sdk\//m),
  },
  {
    workflow: recipe('monorepo'),
    title: 'starts nothing while the last pull request is open',
    args: inRepository('acme/monorepo-open'),
    jobs: [...two, 'success'],
    outcomes: ['skipped', 'skipped', 'skipped'],
    check: logs(/still open/),
  },
  {
    workflow: recipe('merge'),
    title: 'merges a small pull request',
    jobs: two,
    check: logs(/^gh pr merge \S+\/acme\/docs\/pull\/128 --squash --match-head-commit 0/m),
  },
  {
    workflow: recipe('merge'),
    title: 'leaves a larger pull request alone',
    replace: [['-le 2', '-le 1']],
    jobs: two,
    check: ({ log }) => expect(log).not.toMatch(/^gh pr merge/m),
  },
  {
    workflow: recipe('merge'),
    title: 'leaves a pull request alone that it cannot read',
    args: ['--env', 'UNREADABLE=1'],
    jobs: two,
    check: ({ log }) => expect(log).not.toMatch(/^gh pr merge/m),
  },
  {
    workflow: recipe('chat'),
    title: 'sends the message and the link to a chat',
    jobs: two,
    check: () =>
      expect(chat).toContainEqual(
        expect.stringMatching(
          /v1\.2\.0: Documentation pull request opened: acme\/docs#128 {2}https:\S+128 \(/,
        ),
      ),
  },
  {
    workflow: recipe('chat'),
    title: 'sends why the job failed to a chat',
    project: 'no-credits',
    jobs: ['failure', 'success'],
    outcomes: ['not-started'],
    check: () =>
      expect(chat).toContainEqual(expect.stringMatching(/v1\.2\.0: \S.* no-credits {2}\(/)),
  },
  { workflow: recipe('credits'), title: 'starts a job for a release' },
  {
    workflow: recipe('credits'),
    title: 'warns if credits are used up',
    project: 'no-credits',
    outcomes: ['not-started'],
    check: logs(/Documentation not updated, because credits are used up/),
  },
  {
    workflow: recipe('credits'),
    title: 'fails if the job fails',
    project: 'failing',
    jobs: ['failure'],
    outcomes: ['failed'],
  },
];

/** Returns the name and the payload of the first trigger of a workflow, or of a dispatch. */
function toEvent(workflow: string, { inputs, ref, prerelease = false }: Scenario) {
  const { on } = parse(workflow) as { on: Record<string, { tags?: unknown } | null> };
  if ('schedule' in on) {
    return { event: 'schedule', payload: {} };
  }
  if (inputs !== undefined || !('release' in on || 'push' in on)) {
    return { event: 'workflow_dispatch', payload: { ref, inputs } };
  }
  if ('release' in on) {
    const release = { tag_name: 'v1.2.0', prerelease };
    return { event: 'release', payload: { action: 'published', release } };
  }
  const pushed = on['push']?.tags === undefined ? 'refs/heads/main' : 'refs/tags/v1.2.0';
  return { event: 'push', payload: { ref: pushed, before: releaseSha } };
}

it.concurrent.each(scenarios)('$workflow $title', async (scenario) => {
  const { jobs = ['success'], outcomes = [opened], replace = [], project, args = [] } = scenario;
  let workflow = workflows.get(scenario.workflow) ?? '';
  for (const [from, to] of replace) {
    expect(workflow).toContain(from);
    workflow = workflow.replace(from, to);
  }
  const run = await play({ workflow, ...toEvent(workflow, scenario), args }, project);
  showOnFailure('log', () => run.log);
  expect(run.jobs).toEqual(jobs === 'any' ? run.jobs : jobs);
  expect(run.outcomes).toEqual(outcomes === 'any' ? run.outcomes : outcomes);
  expect(run.log).not.toContain(serviceKey);
  const creates = emulator.requests.filter(({ route }) => route?.call === 'create');
  const prompts = creates.map(({ body }): string => JSON.parse(body).prompt);
  scenario.check?.(run, prompts);
});

// Last, because the concurrent tests before it would not run side by side.
it('every example has a scenario, or is called by one', () => {
  const covered = [...scenarios.map(({ workflow }) => workflow), 'examples/organization.yml'];
  expect([...workflows.keys()].filter((path) => !covered.includes(path))).toEqual([]);
});
