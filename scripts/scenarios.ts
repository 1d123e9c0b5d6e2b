import { strict as assert } from 'node:assert';
import type { ActRun } from './act.ts';

/** A run of a workflow, and what it must result in. */
export interface Scenario {
  /** The path of the workflow. */
  readonly workflow: string;
  /** What it shows, if the workflow has several scenarios. */
  readonly title?: string;
  /** A text of the workflow, and the text that replaces it in this run. */
  readonly replace?: readonly [string, string];
  /** Inputs of a dispatch. If absent, the workflow's first trigger starts it. */
  readonly inputs?: readonly string[];
  /** The release is a pre-release. */
  readonly isPrerelease?: boolean;
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
const app = ['--var', 'DOCS_APP_CLIENT_ID=Iv1', '--secret', 'DOCS_APP_PRIVATE_KEY=key'];

/** The workflows of this repository. */
const workflows: readonly Scenario[] = [
  {
    workflow: selfTest,
    title: 'every outcome',
    args: ['-j', 'outcomes', '--matrix', 'os:ubuntu-latest'],
    outcomes: 'any',
  },
  {
    workflow: selfTest,
    title: 'several prompts, both declarations',
    args: ['-j', 'prompts'],
    jobs: ['success', 'success', 'success', 'success'],
    outcomes: 'any',
  },
  {
    workflow: selfTest,
    title: 'a wrong output fails its workflow job',
    args: ['-j', 'prompts', '--matrix', 'kind:one line'],
    replace: ['node20: { job-result: no-pull-request', 'node20: { job-result: archived'],
    jobs: ['failure'],
    outcomes: 'any',
  },
  {
    workflow: ownDocs,
    title: 'dispatched with a prompt',
    inputs: ['prompt=Explain `--speed`, "quoted" & $PATH.'],
    check: (_, prompts) => assert.ok(prompts.includes('Explain `--speed`, "quoted" & $PATH.')),
  },
  {
    workflow: ownDocs,
    title: 'dispatched with an empty form starts nothing',
    inputs: [],
    jobs: ['failure'],
    outcomes: ['not-started'],
  },
  {
    workflow: ownDocs,
    title: 'called for a release sends the prompt in the repository',
    // act can't run the caller, which asks GitHub about the release.
    replace: ['  workflow_call:\n', '  release:\n  workflow_call:\n'],
    check: (_, prompts) =>
      assert.match(prompts.join('\n'), /docs-agent-action[\s\S]*^Tag: v1\.2\.0$/m),
  },
];

/** Examples that do more than open a pull request on their first trigger. */
const examples: readonly Scenario[] = [
  {
    workflow: 'examples/docs.yml',
    title: 'sends the facts of a release tag',
    check: (_, prompts) =>
      assert.match(prompts.join('\n'), /^Update .*\n\n---\n[\s\S]*^Tag: v1\.2\.0$/m),
  },
  ...['docs', 'fork', 'button', 'rehearsal', 'organization-caller'].flatMap((name): Scenario[] => [
    {
      workflow: `examples/${name}.yml`,
      title: 'sends the prompt of the form',
      inputs: [`prompt=Explain ${name}`],
      check: (_, prompts) => assert.ok(prompts.includes(`Explain ${name}`)),
    },
    {
      workflow: `examples/${name}.yml`,
      title: 'starts nothing for an empty form',
      inputs: [],
      jobs: ['failure'],
      outcomes: ['not-started'],
    },
  ]),
  {
    workflow: 'examples/button.yml',
    title: 'makes up for a release that was missed',
    inputs: ['prompt=Better late than never', 'release-tag=v1.1.0'],
    check: (_, prompts) =>
      assert.match(prompts.join('\n'), /^Better late.*\n[\s\S]*^Tag: v1\.1\.0$/m),
  },
  ...['fork', 'rehearsal', 'organization-caller'].map((name) => ({
    workflow: `examples/${name}.yml`,
    title: 'starts a job for a release tag',
  })),
  {
    workflow: 'examples/rehearsal.yml',
    title: 'checks the settings without a job, even during a rehearsal',
    inputs: ['prompt=Only a try', 'dry-run=true'],
    args: ['--var', 'DOCS_AGENT_REHEARSAL=failing'],
    outcomes: ['dry-run'],
    check: (_, prompts) => assert.ok(!prompts.includes('Only a try'), 'it starts a job'),
  },
  {
    workflow: 'examples/rehearsal.yml',
    title: 'rehearses',
    inputs: ['prompt=Rehearse'],
    args: ['--var', 'DOCS_AGENT_REHEARSAL=failing'],
    jobs: ['failure'],
    outcomes: ['failed'],
    check: (_, prompts) => assert.ok(!prompts.includes('Rehearse'), 'it uses the service'),
  },
  {
    workflow: 'examples/release-job.yml',
    jobs: ['success', 'success'],
    check: (run) => assert.match(run.summary('docs'), /Describe v1\.2\.0/),
  },
  ...['release-please', 'semantic-release'].flatMap((name): Scenario[] => [
    {
      workflow: `examples/${name}.yml`,
      title: 'starts a job for the tag that the tool creates',
      args: ['--env', 'RELEASE_TAG=v1.1.0'],
      jobs: ['success', 'success'],
      check: (_, prompts) => assert.match(prompts.join('\n'), /^Tag: v1\.1\.0$/m),
    },
    { workflow: `examples/${name}.yml`, title: 'starts nothing without a release', outcomes: [] },
  ]),
  {
    workflow: 'examples/changesets.yml',
    title: 'starts one job for all packages',
    args: ['--env', `PUBLISHED=${published}`],
    jobs: ['success', 'success'],
    check: (_, prompts) =>
      assert.equal(prompts.filter((text) => text.includes(published)).length, 1),
  },
  {
    workflow: 'examples/changesets.yml',
    title: 'starts nothing without packages',
    outcomes: [],
  },
  { workflow: 'examples/release-published.yml', title: 'starts a job for a release' },
  {
    workflow: 'examples/release-published.yml',
    title: 'starts nothing for a pre-release',
    isPrerelease: true,
    jobs: [],
    outcomes: [],
  },
  { workflow: 'examples/paths.yml', title: 'starts a job if a file matches' },
  {
    workflow: 'examples/paths.yml',
    title: 'skips the job if no file matches',
    replace: ['src/**\n', 'assets/**\n'],
    outcomes: ['skipped'],
  },
  {
    workflow: 'examples/projects.yml',
    args: ['--var', 'USER_GUIDE_PROJECT_ID=failing', '--var', 'ADMIN_GUIDE_PROJECT_ID=quick'],
    jobs: 'any',
    outcomes: ['failed', opened],
  },
  {
    workflow: 'examples/start-and-wait.yml',
    jobs: ['success', 'success', 'success'],
    outcomes: [opened, 'started'],
  },
  {
    workflow: 'examples/reviewers.yml',
    args: app,
    check: ({ log }) => {
      assert.match(log, /^gh api .*issues\/128\/labels .*release/m);
      assert.match(log, /^gh api .*pulls\/128\/requested_reviewers .*writers/m);
    },
  },
  {
    workflow: 'examples/reviewers.yml',
    title: 'leaves a pull request of another repository alone',
    project: 'gitlab',
    args: app,
    check: ({ log }) => assert.doesNotMatch(log, /^gh api/m),
  },
  {
    workflow: 'examples/release-notes.yml',
    check: ({ log }) =>
      assert.match(log, /^Documentation: https:\/\/github\.com\/acme\/docs\/pull\/128$/m),
  },
];

/** Examples that need a job, or the address of a chat. */
function listServed({ jobId, slowJobId, chatUrl }: Served): readonly Scenario[] {
  return [
    {
      workflow: 'examples/docs.yml',
      title: 'waits for a job',
      inputs: [`job-id=${jobId}`],
      check: (run) => assert.equal(run.outputs('docs')['job-id'], jobId),
    },
    {
      workflow: 'examples/docs.yml',
      title: 'follows up on a job',
      project: 'slow',
      inputs: [`job-id=${slowJobId}`, 'prompt=Shorter'],
    },
    { workflow: 'examples/chat.yml', args: ['--secret', `CHAT_WEBHOOK=${chatUrl}`] },
  ];
}

interface Served {
  /** A job of the project `quick`. */
  readonly jobId: string;
  /** A job of the project `slow`. */
  readonly slowJobId: string;
  /** Accepts the message about the pull request. */
  readonly chatUrl: string;
}

/** Returns the scenarios: at least one of each workflow, except one that a caller runs. */
export function listScenarios(paths: readonly string[], served: Served): readonly Scenario[] {
  const listed = [...workflows, ...examples, ...listServed(served)];
  const covered = [...listed.map(({ workflow }) => workflow), 'examples/organization.yml'];
  const others = paths.filter((path) => !covered.includes(path));
  return [...listed, ...others.map((workflow) => ({ workflow }))];
}
