import { strict as assert } from 'node:assert';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ActRun } from './act.ts';
import { type Example, readExamples } from './examples.ts';
import { createEvent, getSettings, type Scenario, type Scene, toDispatch } from './scenario.ts';
import { root } from './tools.ts';
import { adaptWorkflow, commitAll, git } from './workspace.ts';

/** A run of an example, where it differs from the usual one. */
interface ExampleRun {
  /** Its name, if the example has several. */
  readonly name?: string;
  /** Texts of the example, and the texts that replace them in this run. */
  readonly replace?: readonly (readonly [string, string])[];
  /** Inputs of a dispatch. If absent, the workflow's first trigger starts it. */
  readonly inputs?: readonly string[];
  /** True for the release of a pre-release, if the workflow has that trigger. */
  readonly isPrerelease?: boolean;
  readonly project?: string;
  readonly settings?: readonly string[];
  /**
   * The results of the jobs in alphabetical order. Default: a single successful job. `any` for a
   * matrix in which one fails, since act reports that failure for jobs that end later, too.
   */
  readonly jobs?: readonly string[] | 'any';
  /** The outcomes of the steps in alphabetical order. Default: a single `pull-request-opened`. */
  readonly outcomes?: readonly string[];
  /** Checks everything else. Throws if something is wrong. */
  readonly check?: (run: ActRun) => void;
}

const opened = 'pull-request-opened';

/** The runs of examples that do more than open a pull request on the first trigger. */
function listExampleRuns(scene: Scene): Readonly<Record<string, ExampleRun[]>> {
  const { baseUrl, addJob, readPrompts, gh, chat, token } = scene;
  const { releases } = gh.addRepository('acme/widgets', token);
  const release = { notes: 'Faster.', isDraft: false, isPrerelease: false, isImmutable: true };
  releases.push({ tag: 'v1.2.0', ...release, assets: new Map() });
  const docs = gh.addRepository('acme/docs', 'app:acme/docs:pull-requests=write');
  const app = ['--var', 'DOCS_APP_CLIENT_ID=Iv1', '--secret', 'DOCS_APP_PRIVATE_KEY=key'];
  const addLabel = (name: string): string => `POST issues/128/labels {"labels":["${name}"]}`;
  const published =
    '[{"name":"@acme/sdk","version":"1.4.0"},{"name":"@acme/cli","version":"2.0.1"}]';
  const askTeam = 'POST pulls/128/requested_reviewers {"team_reviewers":["writers"]}';
  return {
    'docs.yml': [
      {
        name: 'starts a job for a release tag',
        check: () =>
          assert.match(readPrompts().join('\n'), /^Update .*\n\n---\n[\s\S]*^Tag: v1\.2\.0$/m),
      },
      {
        name: 'starts nothing without the secret',
        replace: [['secrets.DOCS_AGENT_API_KEY', 'secrets.NO_KEY']],
        jobs: ['failure'],
        outcomes: ['not-started'],
      },
    ],
    'rehearsal.yml': [
      { name: 'starts a job for a release tag' },
      {
        name: 'dispatched with an empty form starts nothing',
        inputs: [],
        jobs: ['failure'],
        outcomes: ['not-started'],
        check: ({ log }) => assert.match(log, /`?prompt`? is missing/),
      },
      {
        name: 'checks the settings without a job, even during a rehearsal',
        inputs: ['prompt=Only a try', 'dry-run=true'],
        settings: ['--var', 'DOCS_AGENT_REHEARSAL=failing'],
        outcomes: ['dry-run'],
        check: () => assert.ok(!readPrompts().includes('Only a try'), 'it starts a job'),
      },
      {
        name: 'says in a dry run that the service rejects the key',
        inputs: ['prompt=Only a try', 'dry-run=true'],
        settings: ['--secret', 'DOCS_AGENT_API_KEY=mint_emulator_expired_key_0001'],
        jobs: ['failure'],
        outcomes: ['not-started'],
        check: ({ log }) => assert.match(log, /error-code.*unauthorized/),
      },
      {
        name: 'rehearses',
        inputs: ['prompt=Explain everything'],
        settings: ['--var', 'DOCS_AGENT_REHEARSAL=failing'],
        jobs: ['failure'],
        outcomes: ['failed'],
        check: (run) => assert.ok(!run.log.includes(baseUrl), 'it uses the service'),
      },
    ],
    'one-job.yml': [
      {
        name: 'sends nothing if it may not read the record',
        replace: [['reuse: release', 'reuse: release\n          github-token: no-token-of-github']],
        jobs: ['failure'],
        outcomes: ['not-started'],
        check: ({ log }) => assert.match(log, /error-code.*reuse-unknown/),
      },
    ],
    'button.yml': [
      { name: 'starts a job', inputs: ['prompt=Explain everything'] },
      { name: 'waits for a job', inputs: [`job-id=${addJob()}`] },
      {
        name: 'follows up on a job',
        project: 'observed',
        inputs: [`job-id=${addJob('observed')}`, 'prompt=Shorter'],
      },
      {
        name: 'dispatched with an empty form starts nothing',
        inputs: [],
        jobs: ['failure'],
        outcomes: ['not-started'],
      },
    ],
    'release-job.yml': [
      {
        jobs: ['success', 'success'],
        check: (run) =>
          assert.match(run.summary('docs'), /Describe v1\.2\.0/, 'the title of the pull request'),
      },
    ],
    ...Object.fromEntries(
      ['release-please.yml', 'semantic-release.yml'].map((name) => [
        name,
        [
          {
            name: 'starts a job for the tag that the tool creates',
            settings: ['--env', 'RELEASE_TAG=v1.1.0'],
            jobs: ['success', 'success'],
            check: () => assert.match(readPrompts().join('\n'), /^Tag: v1\.1\.0$/m),
          },
          { name: 'starts nothing without a release', outcomes: [] },
        ],
      ]),
    ),
    'changesets.yml': [
      {
        name: 'starts one job for all packages',
        settings: ['--env', `PUBLISHED=${published}`],
        jobs: ['success', 'success'],
        check: () =>
          assert.equal(readPrompts().filter((text) => text.includes(published)).length, 1),
      },
      { name: 'starts nothing if nothing is published', outcomes: [] },
    ],
    'on-release.yml': [
      { name: 'starts a job for a release' },
      { name: 'starts nothing for a pre-release', isPrerelease: true, jobs: [], outcomes: [] },
    ],
    'merge.yml': [
      {
        name: 'passes if nothing had to change',
        project: 'no-change',
        outcomes: ['no-pull-request'],
      },
    ],
    'slim.yml': [
      {
        name: 'ends with a summary if the job takes longer',
        project: 'endless',
        replace: [['timeout-minutes: 13', 'timeout-minutes: 0.05']],
        jobs: ['failure'],
        outcomes: ['timed-out'],
        check: (run) => assert.match(run.summary('docs'), /^job-id: /m),
      },
    ],
    'prompt-file.yml': [
      { name: 'sends the prompt of a file' },
      {
        name: 'starts nothing without the file',
        replace: [['docs-prompt.md', 'no-prompt.md']],
        jobs: ['failure'],
        outcomes: ['not-started'],
      },
    ],
    'approval.yml': [
      { name: 'starts a job with the key of the environment' },
      {
        name: 'starts nothing if the environment has no key',
        replace: [['secrets.DOCS_AGENT_API_KEY', 'secrets.NO_KEY']],
        jobs: ['failure'],
        outcomes: ['not-started'],
      },
    ],
    'paths.yml': [
      { name: 'starts a job if a file matches' },
      {
        name: 'skips the job if no file matches',
        replace: [['src/**\n', 'assets/**\n']],
        outcomes: ['skipped'],
      },
    ],
    'projects.yml': [
      {
        name: 'updates one project even if the other one fails',
        settings: [
          '--var',
          'USER_GUIDE_PROJECT_ID=failing',
          '--var',
          'ADMIN_GUIDE_PROJECT_ID=quick',
        ],
        jobs: 'any',
        outcomes: ['failed', opened],
      },
    ],
    'start-and-wait.yml': [
      { name: 'finishes', jobs: ['success', 'success', 'success'], outcomes: [opened, 'started'] },
      {
        name: 'publishes even if the job fails later',
        project: 'failing',
        jobs: ['failure', 'success', 'success'],
        outcomes: ['failed', 'started'],
      },
    ],
    'chat.yml': [
      {
        name: 'sends a message',
        settings: ['--secret', `CHAT_WEBHOOK=${chat.url}`],
        check() {
          assert.match(
            chat.messages.join(''),
            /v1\.2\.0: pull-request-opened https:\S+\/pull\/128/,
          );
          assert.match(chat.messages.join(''), /github\.com\/acme\/widgets\/actions\/runs\/\d/);
        },
      },
      {
        name: 'fails if the webhook rejects the message',
        settings: ['--secret', `CHAT_WEBHOOK=${baseUrl}/chat`],
        jobs: ['failure'],
      },
    ],
    'require.yml': [
      { name: 'publishes with a pull request', jobs: ['success', 'success'] },
      {
        name: 'publishes nothing without a pull request',
        project: 'no-change',
        jobs: ['failure'],
        outcomes: ['no-pull-request'],
        check({ log }) {
          assert.match(log, /no documentation pull request/i);
          assert.doesNotMatch(log, /^Your steps that publish/m);
        },
      },
    ],
    'reviewers.yml': [
      {
        name: 'sets labels and reviewers',
        settings: app,
        check: () =>
          assert.deepEqual(
            docs.changes.filter((change) => change !== addLabel('strict')),
            [addLabel('release'), askTeam],
          ),
      },
      {
        name: 'sets labels even if the app may not read members',
        replace: [
          ['          permission-members: read\n', ''],
          ['labels[]=release', 'labels[]=strict'],
        ],
        settings: app,
        jobs: ['failure'],
        check({ log }) {
          assert.match(log, /HTTP 422/);
          assert.ok(docs.changes.includes(addLabel('strict')));
        },
      },
      {
        name: 'leaves a pull request of another repository alone',
        project: 'gitlab',
        settings: app,
        check: () => assert.ok(!docs.changes.join().includes('/42/'), 'it changes a pull request'),
      },
    ],
    'release-notes.yml': [
      {
        name: 'adds the link',
        check() {
          const link = 'https://github.com/acme/docs/pull/128';
          assert.equal(releases[0]?.notes, `Faster.\n\nDocumentation: ${link}`);
        },
      },
      {
        name: 'leaves the notes alone if the pull request is in another repository',
        project: 'gitlab',
        check: () => assert.ok(!releases[0]?.notes.includes('gitlab')),
      },
    ],
  };
}

/**
 * Returns the scenarios of the examples as readers copy them, except for the address and the
 * interval.
 */
export function listExampleScenarios(scene: Scene): Scenario[] {
  const runs = listExampleRuns(scene);
  const examples = readExamples(root);
  const names = new Set(examples.map(({ name }) => name));
  for (const name of Object.keys(runs)) assert.ok(names.has(name), `there is no example ${name}`);
  return examples.flatMap((example) => [
    ...(runs[example.name] ?? [{}]).map((run) => toScenario(scene, example, run)),
    ...(example.name === 'one-job.yml' ? [playTwoTriggers(scene, example)] : []),
    ...(example.name === 'slim.yml' ? [playRerun(scene, example)] : []),
    ...(example.name === 'release-job.yml' ? [playTwoReleases(scene, example)] : []),
  ]);
}

/** Writes an example into the working copy, and returns its path there. */
function writeExample(workspace: string, { name, text }: Example, id: string = name): string {
  const path = `.github/workflows/example-${id}`;
  writeFileSync(join(workspace, path), adaptWorkflow(text));
  return path;
}

/** Two runs for one tag at the same moment, and a third one after the tag has moved. */
function playTwoTriggers(scene: Scene, example: Example): Scenario {
  const { temp, workspace, baseUrl } = scene;
  // Not the prompt of the other recipes, which leave records for the same tag.
  const text = example.text.replace('for this release.', 'for this tag.');
  assert.notEqual(text, example.text);
  const path = writeExample(workspace, { ...example, text }, `twice-${example.name}`);
  const settings = ['-W', path, ...getSettings(baseUrl, 'slow')];
  const push = (): string[] => createEvent(temp, 'push', { ref: 'refs/tags/v1.2.0' });
  return {
    name: `${example.file}: ${example.name} starts one job for a tag and its release, and another if the tag moves`,
    async play(play) {
      const runs = await Promise.all([
        play({ args: [...push(), ...settings] }),
        play({ args: [...toTrigger(temp, text), ...settings] }),
      ]);
      for (const run of runs) assert.deepEqual(run.outcomes, [opened]);
      const [first, second] = runs.map((run) => run.outputs('docs'));
      assert.equal(first?.['job-id'], second?.['job-id']);
      assert.deepEqual([first?.['reused'], second?.['reused']].sort(), ['false', 'true']);

      // act takes the commit of the run from git.
      const other = `${workspace}-moved`;
      git(workspace, 'clone', '--quiet', '.', other);
      git(other, 'remote', 'set-url', 'origin', 'https://github.com/acme/widgets.git');
      mkdirSync(join(other, '.github', 'workflows'), { recursive: true });
      writeExample(other, { ...example, text }, `twice-${example.name}`);
      scene.addBranch('moved', commitAll(other, 'Move v1.2.0'));
      const moved = await play({ args: [...push(), ...settings], workspace: other });
      assert.deepEqual(moved.outcomes, [opened]);
      assert.equal(moved.outputs('docs')['reused'], 'false');
      assert.notEqual(moved.outputs('docs')['job-id'], first?.['job-id']);
    },
  };
}

/** A run that times out, and its re-run, which finds the record of the job. */
function playRerun({ temp, workspace, baseUrl }: Scene, example: Example): Scenario {
  const short = example.text.replace('timeout-minutes: 13', 'timeout-minutes: 0.05');
  assert.notEqual(short, example.text);
  const paths = [
    writeExample(workspace, { ...example, text: short }, `attempt-1-${example.name}`),
    writeExample(workspace, example, `attempt-2-${example.name}`),
  ];
  const settings = getSettings(baseUrl, 'slow');
  return {
    name: `${example.file}: ${example.name} waits for the same job in a re-run`,
    async play(play) {
      const attempt = (number: number): Promise<ActRun> =>
        play({
          args: [
            ...createEvent(temp, 'push', { ref: 'refs/tags/v1.2.0' }),
            ...['-W', paths[number - 1] ?? '', ...settings],
            ...['--env', 'GITHUB_RUN_ID=77', '--env', `GITHUB_RUN_ATTEMPT=${number}`],
          ],
        });
      const first = await attempt(1);
      assert.deepEqual(first.outcomes, ['timed-out']);
      const second = await attempt(2);
      assert.deepEqual(second.outcomes, [opened]);
      assert.equal(second.outputs('docs')['job-id'], first.outputs('docs')['job-id']);
      assert.equal(second.outputs('docs')['reused'], 'true');
    },
  };
}

/** Two releases, the second while the agent is still working on the first. */
function playTwoReleases({ temp, workspace, baseUrl }: Scene, example: Example): Scenario {
  const path = writeExample(workspace, example, `twice-${example.name}`);
  const getArguments = (tag: string, project: string): string[] => [
    ...createEvent(temp, 'push', { ref: `refs/tags/${tag}` }),
    ...['-W', path, ...getSettings(baseUrl, project)],
  ];
  return {
    name: `${example.file}: ${example.name} publishes the next release while the agent works`,
    async play(play) {
      // act ignores concurrency. On GitHub, a group for the workflow would make the second run
      // wait.
      assert.ok(
        !('concurrency' in (parse(example.text) as object)),
        'the next release waits for the agent',
      );
      let second: Promise<ActRun> | undefined;
      const first = await play({
        args: getArguments('v1.1.0', 'endless'),
        onEvent({ msg }, child) {
          if (second !== undefined || !msg.includes('waiting for job')) return;
          second = play({ args: getArguments('v1.2.0', 'quick') });
          second.finally(() => child.kill('SIGINT'));
        },
      });
      assert.equal(first.jobs[0], 'success', 'the first release is published');
      assert.deepEqual((await second)?.jobs, ['success', 'success']);
    },
  };
}

function toScenario(scene: Scene, example: Example, run: ExampleRun): Scenario {
  const { file, name } = example;
  const text = (run.replace ?? []).reduce((all, [from, to]) => {
    assert.ok(all.includes(from), `${name} does not hold ${from}`);
    return all.replace(from, to);
  }, example.text);
  const path = writeExample(
    scene.workspace,
    { ...example, text },
    `${run.name ?? 'usual'}-${name}`.replaceAll(' ', '-'),
  );
  const settings = getSettings(scene.baseUrl, run.project ?? 'quick');
  const trigger =
    run.inputs === undefined
      ? toTrigger(scene.temp, text, run.isPrerelease)
      : toDispatch(run.inputs);
  return {
    name: `${file}: ${name}${run.name === undefined ? '' : ` ${run.name}`}`,
    async play(play) {
      const result = await play({
        args: [...trigger, '-W', path, ...settings, ...(run.settings ?? [])],
      });
      // Workflow jobs that run side by side end in any order.
      if (run.jobs !== 'any') assert.deepEqual(result.jobs.toSorted(), run.jobs ?? ['success']);
      assert.deepEqual(result.outcomes.toSorted(), run.outcomes ?? [opened]);
      run.check?.(result);
    },
  };
}

/**
 * Arguments of act for the first of: a published release, a pushed tag, a push to main, a dispatch
 * without inputs.
 */
function toTrigger(temp: string, workflow: string, isPrerelease = false): string[] {
  const { on } = parse(workflow) as { on: string | Record<string, { tags?: unknown } | null> };
  const triggers = typeof on === 'string' ? { [on]: null } : on;
  if ('release' in triggers) {
    const release = { tag_name: 'v1.2.0', prerelease: isPrerelease };
    return createEvent(temp, 'release', { action: 'published', release });
  }
  const { push } = triggers;
  if (push === undefined) return toDispatch([]);
  return push?.tags === undefined
    ? createEvent(temp, 'push', { ref: 'refs/heads/main' })
    : createEvent(temp, 'push', { ref: 'refs/tags/v1.2.0' });
}
