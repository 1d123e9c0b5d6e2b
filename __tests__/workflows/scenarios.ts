import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readExamples, root } from '../../scripts/tools.ts';
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
const nothingStarted = { jobs: ['failure'], outcomes: ['not-started'] };

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
    check: ({ log }) => expect(log).toContain('job-result is "no-pull-request", not "archived"'),
  },
  {
    workflow: ownDocs,
    title: 'sends the prompt of the form',
    inputs: { prompt: quoted },
    check: (_, prompts) => expect(prompts).toContain(quoted),
  },
  { workflow: ownDocs, title: 'starts nothing for an empty form', inputs: {}, ...nothingStarted },
  {
    workflow: ownDocs,
    title: 'sends the prompt in the repository for a release',
    // act can't run the caller, which asks GitHub about the release.
    replace: [['  workflow_call:\n', '  release:\n  workflow_call:\n']],
    check: (_, prompts) =>
      expect(prompts.join('\n')).toMatch(/docs-agent-action[\s\S]*^Tag: v1\.2\.0$/m),
  },
  {
    workflow: 'examples/docs.yml',
    title: 'sends the facts of a release tag',
    check: (_, prompts) =>
      expect(prompts.join('\n')).toMatch(/^Update .*\n\n---\n[\s\S]*^Tag: v1\.2\.0$/m),
  },
  {
    workflow: 'examples/docs.yml',
    title: 'waits for a job',
    inputs: { 'job-id': 'a-job' },
    check: (run) => expect(run.outputs('docs')['job-id']).toBe('a-job'),
  },
  {
    workflow: 'examples/docs.yml',
    title: 'follows up on a job',
    project: 'slow',
    inputs: { 'job-id': 'a-slow-job', prompt: 'Shorter' },
  },
  ...['docs', 'fork', 'button', 'rehearsal', 'organization-caller'].flatMap((name): Scenario[] => [
    {
      workflow: `examples/${name}.yml`,
      title: 'sends the prompt of the form',
      inputs: { prompt: `Explain ${name}` },
      check: (_, prompts) => expect(prompts).toContain(`Explain ${name}`),
    },
    {
      workflow: `examples/${name}.yml`,
      title: 'starts nothing for an empty form',
      inputs: {},
      ...nothingStarted,
    },
  ]),
  {
    workflow: 'examples/button.yml',
    title: 'makes up for a release that was missed',
    inputs: { prompt: 'Better late than never', 'release-tag': 'v1.1.0' },
    check: (_, prompts) =>
      expect(prompts.join('\n')).toMatch(/^Better late.*\n[\s\S]*^Tag: v1\.1\.0$/m),
  },
  ...['fork', 'rehearsal', 'organization-caller', 'release-published'].map((name) => ({
    workflow: `examples/${name}.yml`,
    title: 'starts a job for a release',
  })),
  {
    workflow: 'examples/rehearsal.yml',
    title: 'checks the settings without a job, even during a rehearsal',
    inputs: { prompt: 'Only a try', 'dry-run': 'true' },
    args: ['--var', 'DOCS_AGENT_REHEARSAL=failing'],
    outcomes: ['dry-run'],
    check: (_, prompts) => expect(prompts).not.toContain('Only a try'),
  },
  {
    workflow: 'examples/rehearsal.yml',
    title: 'rehearses without the service',
    inputs: { prompt: 'Rehearse' },
    args: ['--var', 'DOCS_AGENT_REHEARSAL=failing'],
    jobs: ['failure'],
    outcomes: ['failed'],
    check: (_, prompts) => expect(prompts).not.toContain('Rehearse'),
  },
  {
    workflow: 'examples/release-job.yml',
    title: 'starts a job after the release',
    jobs: ['success', 'success'],
    check: (run) => expect(run.summary('docs')).toContain('Describe v1.2.0'),
  },
  ...['release-please', 'semantic-release'].flatMap((name): Scenario[] => [
    {
      workflow: `examples/${name}.yml`,
      title: 'starts a job for the tag that the tool creates',
      args: ['--env', 'RELEASE_TAG=v1.1.0'],
      jobs: ['success', 'success'],
      check: ({ log }, prompts) => {
        expect(prompts.join('\n')).toMatch(/^Tag: v1\.1\.0$/m);
        expect(log).toContain(`with a token: ${name === 'semantic-release' ? 'yes' : ''}`);
      },
    },
    { workflow: `examples/${name}.yml`, title: 'starts nothing without a release', outcomes: [] },
  ]),
  {
    workflow: 'examples/changesets.yml',
    title: 'starts one job for all packages',
    args: ['--env', `PUBLISHED=${published}`],
    jobs: ['success', 'success'],
    check: ({ log }, prompts) => {
      expect(prompts.filter((prompt) => prompt.includes(published))).toHaveLength(1);
      expect(log).toContain("publishes with 'npm run release'");
    },
  },
  { workflow: 'examples/changesets.yml', title: 'starts nothing without packages', outcomes: [] },
  {
    workflow: 'examples/release-published.yml',
    title: 'starts nothing for a pre-release',
    prerelease: true,
    jobs: [],
    outcomes: [],
  },
  ...['nightly', 'push', 'push-each'].flatMap((name): Scenario[] => [
    {
      workflow: `examples/${name}.yml`,
      title: 'starts a job about what changed',
      check: (_, prompts) =>
        expect(prompts.join('\n')).toMatch(/^Branch: main$[\s\S]*^- \w+ Read a new gauge/m),
    },
    {
      workflow: `examples/${name}.yml`,
      title: 'skips the job if no file matches',
      replace: [['src/**\n', 'assets/**\n']],
      outcomes: ['skipped'],
    },
  ]),
  ...['nightly', 'push'].map((name) => ({
    workflow: `examples/${name}.yml`,
    title: 'skips the first run',
    args: ['--env', 'GITHUB_WORKFLOW_REF=acme/widgets/.github/workflows/new.yml@refs/heads/main'],
    outcomes: ['skipped'],
  })),
  {
    workflow: 'examples/monorepo.yml',
    title: 'starts a job for each package that changed',
    jobs: ['success', 'success', 'success'],
    outcomes: [opened, opened, 'skipped'],
    check: (_, prompts) =>
      expect(prompts.join('\n')).toMatch(
        /documentation of sdk [\s\S]*^- modified packages\/sdk\//m,
      ),
  },
  {
    workflow: 'examples/merge.yml',
    title: 'merges a small pull request',
    jobs: ['success', 'success'],
    check: ({ log }) =>
      expect(log).toMatch(
        /^gh pr merge \S+\/acme\/docs\/pull\/128 --squash --match-head-commit 0/m,
      ),
  },
  {
    workflow: 'examples/merge.yml',
    title: 'leaves a larger pull request alone',
    replace: [['-le 2', '-le 1']],
    jobs: ['success', 'success'],
    check: ({ log }) => expect(log).not.toMatch(/^gh pr merge/m),
  },
  {
    workflow: 'examples/button.yml',
    title: 'starts a job about the changes since a tag',
    inputs: { prompt: 'Since then', 'changes-since': 'v1.1.0' },
    check: (_, prompts) =>
      expect(prompts.join('\n')).toMatch(/^Since then\n[\s\S]*^Changes since: v1\.1\.0$/m),
  },
  { workflow: 'examples/paths.yml', title: 'starts a job if a file matches' },
  {
    workflow: 'examples/paths.yml',
    title: 'skips the job if no file matches',
    replace: [['src/**\n', 'assets/**\n']],
    outcomes: ['skipped'],
  },
  {
    workflow: 'examples/projects.yml',
    title: 'starts a job for each project',
    args: ['--var', 'USER_GUIDE_PROJECT_ID=failing', '--var', 'ADMIN_GUIDE_PROJECT_ID=quick'],
    jobs: 'any',
    outcomes: ['failed', opened],
  },
  {
    workflow: 'examples/start-and-wait.yml',
    title: 'waits in another workflow job',
    jobs: ['success', 'success', 'success'],
    outcomes: [opened, 'started'],
  },
  {
    workflow: 'examples/reviewers.yml',
    title: 'labels the pull request, and asks for reviews',
    jobs: ['success', 'success'],
    check: ({ log }) => {
      expect(log).toMatch(/^gh api .*issues\/128\/labels .*release/m);
      expect(log).toMatch(/^gh api .*pulls\/128\/requested_reviewers .*writers/m);
    },
  },
  {
    workflow: 'examples/reviewers.yml',
    title: 'leaves a pull request of another repository alone',
    project: 'gitlab',
    check: ({ log }) => expect(log).not.toMatch(/^gh api/m),
  },
  {
    workflow: 'examples/release-notes.yml',
    title: 'adds the link to the release notes',
    jobs: ['success', 'success'],
    check: ({ log }) =>
      expect(log).toMatch(/^Documentation: https:\/\/github\.com\/acme\/docs\/pull\/128$/m),
  },
  {
    workflow: 'examples/chat.yml',
    title: 'sends the link to a chat',
    jobs: ['success', 'success'],
  },
];

const workflows = new Map([
  ...readExamples().map(({ path, text }) => [path, text] as const),
  ...[selfTest, ownDocs].map((path) => [path, readFileSync(join(root, path), 'utf8')] as const),
]);
const { emulator, play } = await setUp([...workflows.values()]);
emulator.addJob('quick', 'a-job');
emulator.addJob('slow', 'a-slow-job');

/** Returns the name and the payload of the first trigger of a workflow, or of a dispatch. */
function toEvent(workflow: string, { inputs, prerelease = false }: Partial<Scenario> = {}) {
  const { on } = parse(workflow) as { on: Record<string, { tags?: unknown } | null> };
  if ('schedule' in on) {
    return { event: 'schedule', payload: {} };
  }
  if (inputs !== undefined || !('release' in on || 'push' in on)) {
    return { event: 'workflow_dispatch', payload: { inputs } };
  }
  if ('release' in on) {
    const release = { tag_name: 'v1.2.0', prerelease };
    return { event: 'release', payload: { action: 'published', release } };
  }
  const ref = on['push']?.tags === undefined ? 'refs/heads/main' : 'refs/tags/v1.2.0';
  return { event: 'push', payload: { ref, before: releaseSha } };
}

async function playScenario({
  workflow: path,
  replace = [],
  project,
  args = [],
  ...scenario
}: Scenario) {
  let workflow = workflows.get(path) ?? '';
  for (const [from, to] of replace) {
    expect(workflow).toContain(from);
    workflow = workflow.replace(from, to);
  }
  const run = await play({ workflow, ...toEvent(workflow, scenario), args }, project);
  showOnFailure('log', () => run.log);
  return run;
}

it.concurrent.each(scenarios)('$workflow $title', async (scenario) => {
  const { jobs = ['success'], outcomes = [opened], check } = scenario;
  const run = await playScenario(scenario);
  if (jobs !== 'any') {
    expect(run.jobs).toEqual(jobs);
  }
  if (outcomes !== 'any') {
    expect(run.outcomes).toEqual(outcomes);
  }
  expect(run.log).not.toContain(serviceKey);
  const creates = emulator.requests.filter(({ route }) => route?.call === 'create');
  check?.(
    run,
    creates.map(({ body }) => JSON.parse(body).prompt),
  );
});

it.concurrent('docs.yml and release-published.yml share a job with `reuse: release`', async () => {
  const runs = await Promise.all(
    ['docs', 'release-published'].map((name) =>
      playScenario({
        workflow: `examples/${name}.yml`,
        title: '',
        // Not the prompt of other scenarios, which leave records for the same tag.
        replace: [
          ['for this release.', 'for this tag.'],
          ['with:\n', 'with:\n          reuse: release\n'],
        ],
        project: 'slow',
      }),
    ),
  );
  expect(runs.map(({ outcomes }) => outcomes)).toEqual([[opened], [opened]]);
  const [first = {}, second = {}] = runs.map((run) => run.outputs('docs'));
  expect(first['job-id']).toBe(second['job-id']);
  expect([first['reused'], second['reused']].sort()).toEqual(['false', 'true']);
});

it.concurrent('a re-run of docs.yml waits for the job of a run that timed out', async () => {
  const scenario = { workflow: 'examples/docs.yml', title: '', project: 'slow' };
  const toArgs = (attempt: number): string[] =>
    ['GITHUB_RUN_ID=77', `GITHUB_RUN_ATTEMPT=${attempt}`].flatMap((env) => ['--env', env]);
  const first = await playScenario({
    ...scenario,
    replace: [['with:\n', 'with:\n          timeout-minutes: 0.05\n']],
    args: toArgs(1),
  });
  expect(first.outcomes).toEqual(['timed-out']);
  const second = await playScenario({ ...scenario, args: toArgs(2) });
  expect(second.outcomes).toEqual([opened]);
  const { 'job-id': id } = first.outputs('docs');
  expect(second.outputs('docs')).toMatchObject({ 'job-id': id, reused: 'true' });
});

// Last, because the concurrent tests before and after it would not run side by side.
it('every example has a scenario, or is called by one', () => {
  const covered = [...scenarios.map(({ workflow }) => workflow), 'examples/organization.yml'];
  expect([...workflows.keys()].filter((path) => !covered.includes(path))).toEqual([]);
});
