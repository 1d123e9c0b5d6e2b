import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readExamples, readReleaseTools, root } from '../../scripts/tools.ts';
import { releaseSha } from '../github/sample.ts';
import { showOnFailure } from '../harness/failure-report.ts';
import { serviceKey, setUp } from './set-up.ts';

/** A run of a workflow, and what it must result in. */
interface Scenario {
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
  /** What the repository of the run is a copy of. Default: one without an earlier job. */
  readonly repository?: string;
  /** More arguments of act. */
  readonly args?: readonly string[];
  /** The results of the jobs, sorted. Default: a single `success`. */
  readonly jobs?: string;
  /** The outcomes of the steps, sorted. Default: a single `pull-request-opened`. */
  readonly outcomes?: string | RegExp;
  /** What the prompts match, and what they don't. */
  readonly sends?: RegExp;
  readonly keeps?: RegExp;
  /** What the log matches, and what it doesn't. */
  readonly logs?: RegExp;
  readonly omits?: RegExp;
  /** What a message to the chat matches. */
  readonly chats?: RegExp;
  /** Outputs of the step `docs`. */
  readonly outputs?: Readonly<Record<string, unknown>>;
}

const selfTest = '.github/workflows/self-test.yml';
const ownDocs = '.github/workflows/docs.yml';
const published = '[{"name":"@acme/sdk","version":"1.4.0"},{"name":"@acme/cli","version":"2.0.1"}]';
const quoted = 'Explain `--speed`, "quoted" & $PATH.';
const page = readFileSync(join(root, 'docs', 'recipes.md'), 'utf8');

/** Returns the lines of the recipes' page that begin with a key, to be added to a workflow. */
function readLines(key: string): string {
  const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, lines = '']) => lines);
  return blocks.find((lines) => lines.trimStart().startsWith(`${key}:`)) ?? '';
}

const workflows = new Map([
  ...[...readExamples(), ...readReleaseTools()].map(({ path, text }) => [path, text] as const),
  ...[selfTest, ownDocs].map((path) => [path, readFileSync(join(root, path), 'utf8')] as const),
]);
const { emulator, chat, privateDocs, play } = await setUp([...workflows.values()]);
emulator.addJob('slow', 'a-slow-job');

const anything = /^/;
const nothing = /(?!)/;
const two = 'success success';
const three = 'success success success';
const opened = 'pull-request-opened';
const refused = { jobs: 'failure', outcomes: 'not-started' };
const inRepository = (name: string, outcomes = opened, more: readonly string[] = []) => ({
  repository: name,
  args: more,
  outcomes,
});

const start = { 'starts a job for a release': {} };
const rejectEmpty = { 'starts nothing for an empty form': { inputs: {}, ...refused } };
const sendForm = (prompt: string, sends: RegExp) => ({
  'sends the prompt of the form': { inputs: { prompt }, sends },
});
/** The lines of the recipes' page for paths and approval, and the paths. */
const takeLines = (paths: string) =>
  [
    ['jobs:\n  docs:\n', `jobs:\n  docs:\n${readLines('environment')}`],
    ['inputs.reuse }}\n', `inputs.reuse }}\n${readLines('paths')}`],
    ['src/**\n', paths],
  ] as const;
const followTool = {
  'starts a job for the tag that the tool creates': {
    args: ['--env', 'RELEASE_TAG=v1.1.0'],
    jobs: two,
    sends: /^Tag: v1\.1\.0$/m,
  },
  'starts nothing without a release': { outcomes: '' },
};
/** Puts in a number of commits that the sample repositories don't have. */
const count = (commits: string) =>
  [['steps.docs.outputs.changes-commits', `'${commits}'`]] as const;
const sinceLast = (name: string): Record<string, Scenario> => ({
  'starts a job about what changed since the last one': {
    ...inRepository(name),
    sends: /^Branch: main$[\s\S]*^- \w+ Read a new gauge/m,
  },
  'skips the job if no file matches': {
    ...inRepository(`${name}-quiet`, 'skipped'),
    replace: [['src/**\n', 'assets/**\n']],
  },
  'marks the first run': {
    ...inRepository(`${name}-new`, 'skipped'),
    logs: /No earlier job was found/,
  },
  'starts nothing while the last pull request is open': {
    ...inRepository(`${name}-open`, 'skipped'),
    outputs: { 'pr-link': expect.stringMatching(/acme\/docs\/pull\/128$/) },
  },
});

/** By workflow and title. A name without a folder is that of an example. */
const scenarios: Readonly<Record<string, Readonly<Record<string, Scenario>>>> = {
  [selfTest]: {
    'shows every outcome': {
      args: ['-j', 'outcomes', '--matrix', 'os:ubuntu-latest'],
      outcomes: anything,
    },
    'sends several prompts with both declarations': {
      args: ['-j', 'prompts'],
      jobs: `${two} ${two}`,
      outcomes: anything,
    },
    'fails if an output is wrong': {
      args: ['-j', 'prompts', '--matrix', 'kind:one line'],
      replace: [['node20: { job-result: no-pull-request', 'node20: { job-result: archived']],
      jobs: 'failure',
      outcomes: anything,
      logs: /job-result is "no-pull-request", not "archived"/,
    },
  },
  [ownDocs]: {
    ...sendForm(quoted, /^Explain `--speed`, "quoted" & \$PATH\.$/m),
    ...rejectEmpty,
    'sends the prompt in the repository for a release': {
      // act can't run the caller, which asks GitHub about the release.
      replace: [['  workflow_call:\n', '  release:\n  workflow_call:\n']],
      sends: /docs-agent-action[\s\S]*^Tag: v1\.2\.0$/m,
    },
  },
  docs: {
    ...sendForm('Explain docs', /Explain docs/),
    ...rejectEmpty,
    'sends the facts of a release tag': { sends: /^Update .*\n\n---\n[\s\S]*^Tag: v1\.2\.0$/m },
    'follows up on a job': {
      project: 'slow',
      inputs: { 'job-id': 'a-slow-job', prompt: 'Shorter' },
      outputs: { 'job-id': 'a-slow-job' },
    },
    'takes the lines for paths and approval': { replace: takeLines('src/**\n') },
    'takes the lines for other paths': { replace: takeLines('assets/**\n'), outcomes: 'skipped' },
    'sends the prompt of a release for the tag of the form': {
      inputs: { 'release-tag': 'v1.1.0', reuse: 'rerun' },
      sends: /^Update the documentation for this release\.\n[\s\S]*^Tag: v1\.1\.0$/m,
    },
    'makes up for a release that was missed': {
      inputs: { prompt: 'Better late than never' },
      ref: 'refs/tags/v1.1.0',
      sends: /^Better late.*\n[\s\S]*^Tag: v1\.1\.0$/m,
    },
  },
  rehearsal: {
    ...sendForm('Explain rehearsal', /Explain rehearsal/),
    ...start,
    'rehearses without the service': {
      inputs: { prompt: 'Rehearse' },
      args: ['--var', 'DOCS_AGENT_REHEARSAL=failing'],
      jobs: 'failure',
      outcomes: 'failed',
      keeps: /^Rehearse$/m,
    },
  },
  'organization-caller': {
    'sends the prompt of a release for the tag of the form': {
      inputs: { 'release-tag': 'v1.1.0' },
      sends: /^Update the documentation for this release\.\n[\s\S]*^Tag: v1\.1\.0$/m,
    },
    ...sendForm('Explain organization-caller', /Explain organization-caller/),
    ...rejectEmpty,
    ...start,
  },
  'release-published': {
    ...start,
    'starts nothing for a pre-release': { prerelease: true, jobs: '', outcomes: '' },
  },
  'release-tool': followTool,
  'release-tool.yml with semantic-release': followTool,
  'release-tool.yml with changesets': {
    'starts one job for all packages': {
      args: ['--env', `PUBLISHED=${published}`],
      jobs: two,
      sends: /^Tag: @acme\/sdk@1\.4\.0$/m,
    },
    'starts nothing without packages': { outcomes: '' },
  },
  nightly: {
    ...sinceLast('nightly'),
    'starts a job about what changed since the point in the form': {
      ...inRepository('nightly-open'),
      inputs: { 'changes-since': 'v1.2.0-rc.1' },
      sends: /^Compare: \S+v1\.2\.0-rc\.1\.\.\.\w+$/m,
    },
    'starts nothing in a fork': {
      replace: [['github.event.repository.fork', "'a fork'"]],
      jobs: '',
      outcomes: '',
    },
  },
  behind: {
    'posts how many commits wait': {
      ...inRepository('nightly', 'dry-run'),
      chats: /Commits without a documentation job: 1"/,
    },
    'is red above the limit': {
      ...inRepository('nightly', 'dry-run'),
      replace: count('51'),
      jobs: 'failure',
      chats: /Commits without a documentation job: 51"/,
    },
    'is red if they cannot be counted': {
      ...inRepository('nightly', 'dry-run'),
      replace: count(''),
      jobs: 'failure',
      chats: /Commits without a documentation job: unknown"/,
    },
    'is green before the first run, and says so': {
      ...inRepository('nightly-new', 'dry-run'),
      chats: /Commits without a documentation job: no record yet"/,
    },
  },
  push: sinceLast('push'),
  'source-comment': {
    'posts the link on the pull request that was merged': {
      ...inRepository('push'),
      jobs: two,
      logs: /^gh pr comment 57 --body Documentation: https:\S+\/acme\/docs\/pull\/128$/m,
    },
    'posts nothing without a pull request': {
      ...inRepository('push', opened, ['--env', 'UNREADABLE=1']),
      jobs: two,
      omits: /^gh pr comment/m,
    },
    'posts nothing while the last pull request is open': {
      ...inRepository('push-open', 'skipped'),
      omits: /^gh /m,
    },
  },
  'release-gate': {
    'holds the release while the pull request is open': {
      jobs: 'failure success',
      outcomes: `${opened} ${opened}`,
      logs: /Not merged \(open\): \S+\/128 \(or set RELEASE_WITHOUT_DOCS to v1\.2\.0\)/,
      omits: /^gh release/m,
    },
    'holds the release if it cannot read the pull request': {
      replace: [['steps.job.outputs.pr-state', 'steps.job.outputs.pr-nothing']],
      jobs: 'failure success',
      outcomes: `${opened} ${opened}`,
      omits: /^gh release/m,
    },
    'releases once the pull request is merged': {
      replace: [['= merged', '= open']],
      jobs: three,
      outcomes: `${opened} ${opened}`,
      logs: /^gh release create v1\.2\.0 --verify-tag --generate-notes$/m,
    },
    'releases if there is nothing to merge': {
      project: 'no-change',
      jobs: three,
      outcomes: 'no-pull-request no-pull-request',
      logs: /^gh release create/m,
    },
    'releases if no changed file matches `paths`': {
      replace: [['include-changes: true', 'paths: nothing/**']],
      jobs: three,
      outcomes: 'skipped',
      logs: /^gh release create/m,
    },
    'releases without documentation if somebody says so': {
      args: ['--var', 'RELEASE_WITHOUT_DOCS=v1.2.0'],
      outcomes: '',
      logs: /^gh release create/m,
    },
    'releases nothing if the job fails': {
      project: 'failing',
      jobs: 'failure',
      outcomes: 'failed',
      omits: /^gh release/m,
    },
  },
  'private-docs': {
    'reads the pull request of its job': {
      ...inRepository('private-docs', opened, privateDocs),
      outputs: { 'pr-title': expect.stringMatching(/^Describe v1\.2\.0/) },
    },
    'starts nothing while the last pull request is open': {
      ...inRepository('private-docs-open', 'skipped', privateDocs),
      logs: /still open/,
    },
    'starts nothing with a token that cannot read pull requests': {
      replace: [['secrets.DOCS_READ_TOKEN', 'github.token']],
      ...inRepository('private-docs-open', 'not-started', privateDocs),
      jobs: 'failure',
      outputs: { 'error-code': 'pr-unknown' },
    },
  },
  monorepo: {
    'starts a job for each package that changed': {
      ...inRepository('monorepo', `${opened} ${opened} skipped`),
      jobs: three,
      sends: /documentation of sdk [\s\S]*^- modified packages\/sdk\//m,
    },
    'starts nothing while the last pull request is open': {
      ...inRepository('monorepo-open', 'skipped skipped skipped'),
      jobs: three,
      logs: /still open/,
    },
  },
  merge: {
    'merges a small pull request': {
      jobs: two,
      logs: /^gh pr merge \S+\/acme\/docs\/pull\/128 --squash --match-head-commit 0/m,
    },
    'leaves the pull request to the run that started the job': {
      replace: [["reused == 'false'", "reused == 'true'"]],
      omits: /^gh pr/m,
    },
    'merges in a re-run': {
      replace: [
        ["reused == 'false'", "reused == 'true'"],
        ['run_attempt > 1', 'run_attempt > 0'],
      ],
      jobs: two,
      logs: /^gh pr merge/m,
    },
    'leaves the pull request of an archived job alone': {
      project: 'archived',
      outcomes: 'archived',
      omits: /^gh pr/m,
    },
    'leaves a larger pull request alone': {
      replace: [['-le 2', '-le 1']],
      jobs: two,
      omits: /^gh pr merge/m,
    },
    'leaves a pull request alone that it cannot read': {
      args: ['--env', 'UNREADABLE=1'],
      jobs: two,
      omits: /^gh pr merge/m,
    },
  },
  chat: {
    'sends the message and the link to a chat': {
      jobs: two,
      chats: /v1\.2\.0: Documentation pull request opened: acme\/docs#128 {2}https:\S+128 \(/,
    },
    'mentions nobody': {
      replace: [['needs.docs.outputs.message ||', "'<!channel> & you' ||"]],
      jobs: two,
      chats: /"v1\.2\.0: &lt;!channel&gt; &amp; you {2}https:/,
    },
    'leaves the message to the run that started the job': {
      replace: [["reused != 'true'", "reused != 'false'"]],
    },
    'sends why the job failed to a chat': {
      project: 'no-credits',
      jobs: 'failure success',
      outcomes: 'not-started',
      chats: /v1\.2\.0: \S.* no-credits {2}\(/,
    },
  },
  credits: {
    ...start,
    'warns if credits are used up': {
      project: 'no-credits',
      outcomes: 'not-started',
      logs: /Documentation not updated, because credits are used up/,
    },
    'fails if the job fails': { project: 'failing', jobs: 'failure', outcomes: 'failed' },
  },
};

const toPath = (name: string): string => (/\.yml\b/.test(name) ? name : `examples/${name}.yml`);
const all = Object.entries(scenarios).flatMap(([name, own]) =>
  Object.entries(own).map(([title, scenario]) => [toPath(name), title, scenario] as const),
);

/** Returns the name and the payload of the first trigger of a workflow, or of a dispatch. */
function toEvent(workflow: string, { inputs, ref, prerelease = false }: Scenario) {
  const { on } = parse(workflow) as { on: Record<string, { tags?: unknown } | null> };
  if ('schedule' in on && inputs === undefined) {
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

it.concurrent.each(all)('%s %s', async (path, _, scenario) => {
  const { jobs = 'success', outcomes = opened, replace = [], args = [] } = scenario;
  let workflow = workflows.get(path) ?? '';
  for (const [from, to] of replace) {
    expect(workflow).toContain(from);
    workflow = workflow.replace(from, to);
  }
  const run = await play({ workflow, ...toEvent(workflow, scenario), args }, scenario);
  showOnFailure('log', () => run.log);
  expect(run.jobs.join(' ')).toBe(jobs);
  expect(run.outcomes.join(' ')).toMatch(
    typeof outcomes === 'string' ? new RegExp(`^${outcomes}$`) : outcomes,
  );
  expect(run.log).not.toContain(serviceKey);
  const creates = emulator.requests.filter(({ route }) => route?.call === 'create');
  const prompts = creates.map(({ body }): string => JSON.parse(body).prompt).join('\n');
  const {
    sends = anything,
    keeps = nothing,
    logs = anything,
    omits = nothing,
    chats,
    outputs,
  } = scenario;
  expect(prompts).toMatch(sends);
  expect(prompts).not.toMatch(keeps);
  expect(run.log).toMatch(logs);
  expect(run.log).not.toMatch(omits);
  expect(run.outputs('docs')).toMatchObject(outputs ?? {});
  if (chats !== undefined) {
    expect(chat).toContainEqual(expect.stringMatching(chats));
  }
});

it.concurrent('examples/chat.yml posts once for two runs of one release', async () => {
  const workflow = (workflows.get('examples/chat.yml') ?? '').replaceAll('\\(env.RUN)', 'shared');
  const release = { workflow, ...toEvent(workflow, {}), args: [] };
  const plays = [1, 2].map(() => play(release, { shared: 'shared' }));
  const runs = await Promise.all(plays);
  const outputs = runs.map((run) => run.outputs('docs'));
  expect(outputs.map(({ reused }) => reused).sort()).toEqual(['false', 'true']);
  expect(new Set(outputs.map((found) => found['job-id'])).size).toBe(1);
  expect(chat.filter((message) => message.includes('(shared)'))).toHaveLength(1);
});

// Last, because the concurrent tests before it would not run side by side.
it('every example has a scenario, or is called by one', () => {
  const covered = [...all.map(([path]) => path), 'examples/organization.yml'];
  expect([...workflows.keys()].filter((path) => !covered.includes(path))).toEqual([]);
});
