import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { createEmulator } from '../../emulator/server.ts';
import { findTool, root } from '../../scripts/tools.ts';
import { LAST_JOB } from '../../src/changes/range.ts';
import { parsePaths } from '../../src/inputs/parsers.ts';
import { getSeries } from '../../src/record/task.ts';
import { createGitHubApi, toApiVariables } from '../github/api.ts';
import {
  type CommitStatus,
  createRepository,
  type Repository,
  type RepositoryCommit,
} from '../github/repository.ts';
import { createSampleRepositories, releaseSha, sampleToken } from '../github/sample.ts';
import { createToken } from '../github/token.ts';
import { closeAtEnd } from '../harness/at-end.ts';
import { eventually } from '../helpers/eventually.ts';
import { listProcesses } from '../helpers/leave-nothing.ts';
import { serveAtServiceAddress } from '../helpers/service-address.ts';
import { listen } from '../helpers/sockets.ts';
import { type Play, runAct } from './act.ts';

/** A key that the emulator accepts, as the service accepts a real one. */
export const serviceKey = 'mint_key_of_the_workflows_0001';
/** act doesn't set it, and gives all runs the same id. */
const GITHUB_WORKFLOW_REF = 'acme/widgets/.github/workflows/docs.yml@refs/heads/main';
const standIns = fileURLToPath(new URL('stand-ins', import.meta.url));
/** act has this action built in. The stand-in replaces all others of other owners. */
const CHECKOUT = 'actions/checkout@';

interface PlayOptions {
  /** A project of the emulator. */
  readonly project?: string | undefined;
  /** A sample repository of `acme`. */
  readonly repository?: string | undefined;
  /** The name of the copy of it, if plays share one. */
  readonly shared?: string;
}

/**
 * Prepares a working copy and servers, and returns a function that plays a workflow in act with a
 * project of the emulator. act differs from a runner: it copies the working copy instead of
 * checking it out, and ignores `concurrency`. It has no network here: the emulator answers at the
 * address of the service, and stand-ins replace GitHub's API, `gh`, `npm`, and some actions.
 */
export async function setUp(workflows: readonly string[]) {
  const act = findTool('act');
  const folder = fs.mkdtempSync(join(tmpdir(), 'workflows-'));
  const workspace = createWorkspace(folder);
  const emulator = createEmulator({ speed: 20 });
  emulator.addJob('quick', LAST_JOB_ID);
  const repositories = createRepositories(git(workspace, 'rev-parse', 'HEAD').trim());
  const getRepository = (name: string): Repository => {
    const repository = repositories[`acme/${name}`];
    expect(repository, name).toBeDefined();
    return repository ?? createRepository();
  };
  const github = createGitHubApi({ repositories, token: sampleToken });
  const docsToken = createToken('the documentation');
  const otherTokens = { 'acme/docs': docsToken };
  const privateGitHub = createGitHubApi({ repositories, token: sampleToken, otherTokens });
  const { proxyUrl, certificate } = await serveAtServiceAddress(emulator.handler);
  const NODE_EXTRA_CA_CERTS = join(folder, 'certificate.pem');
  fs.writeFileSync(NODE_EXTRA_CA_CERTS, certificate);
  const chat: string[] = [];
  const chatPort = await listen(
    createServer(async (request, response) => {
      chat.push(await text(request));
      response.end();
    }),
  );
  const api = toApiVariables(await github.listen());
  const privateApi = toApiVariables(await privateGitHub.listen());
  closeAtEnd(async () => {
    await Promise.all([github.close(), privateGitHub.close()]);
    fs.rmSync(folder, { recursive: true, force: true });
    // The action of the emulator looks twice a second whether its folder is gone.
    await eventually(() => expect(listProcesses(folder)).toEqual([]));
  });
  const secrets = {
    DOCS_AGENT_API_KEY: serviceKey,
    GITHUB_TOKEN: sampleToken,
    CHAT_WEBHOOK: `http://127.0.0.1:${chatPort}`,
    DOCS_READ_TOKEN: docsToken,
    DOCS_APP_PRIVATE_KEY: 'key',
  };
  const common = [
    ...toOptions('--env', { ...api, HTTPS_PROXY: proxyUrl, NODE_EXTRA_CA_CERTS }),
    ...toOptions('--secret', secrets),
    ...listReplacements(workspace, workflows.join('\n')),
  ];
  let runs = 0;
  return {
    emulator,
    /** The messages that a chat got. */
    chat,
    /** Options of a play in which the repository of the documentation is private. */
    privateDocs: toOptions('--env', privateApi),
    /** `repository` is copied for each play, because plays on the same one would share a job. */
    play(play: Play, { project = 'quick', repository = 'widgets', shared }: PlayOptions) {
      runs += 1;
      const GITHUB_REPOSITORY = `acme/${shared ?? `run-${runs}`}`;
      repositories[GITHUB_REPOSITORY] ??= structuredClone(getRepository(repository));
      const ids = { GITHUB_REPOSITORY, GITHUB_RUN_ID: `${1_000 + runs}`, GITHUB_WORKFLOW_REF };
      const variables = { DOCS_PROJECT_ID: project, DOCS_APP_CLIENT_ID: 'Iv1' };
      const own = [...toOptions('--env', ids), ...toOptions('--var', variables)];
      return runAct(act, workspace, standIns, { ...play, args: [...common, ...own, ...play.args] });
    },
  };
}

/** Returns the options of act that set variables or secrets. */
function toOptions(flag: string, values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`]);
}

/** Returns the sample repositories. act takes the commit of the run from git. */
function createRepositories(head: string): Record<string, Repository> {
  const { 'acme/widgets': widgets = createRepository(), ...others } = createSampleRepositories();
  const commits = widgets.commits.map((commit) =>
    commit.sha === releaseSha
      ? addFiles(commit, 'packages/core/a.ts', 'packages/sdk/a.ts')
      : commit,
  );
  const pushed = { sha: head, message: 'Read a new gauge', author: 'mona', files: [] };
  const paths = ['src/gauge.ts', 'packages/core/b.ts', 'packages/sdk/b.ts'];
  const latest: Repository = {
    ...widgets,
    commits: [...commits, addFiles(pushed, ...paths)],
    tags: [...widgets.tags, { name: '@acme/sdk@1.4.0', sha: releaseSha }],
    branches: { main: head },
  };
  const after = (...marks: CommitStatus[]) => ({ ...latest, statuses: { [releaseSha]: marks } });
  const series = ['nightly', 'push', 'monorepo', 'private-docs'].flatMap((name) => [
    [`acme/${name}`, after(createMark())] as const,
    [`acme/${name}-quiet`, after(createMark())] as const,
    [`acme/${name}-open`, after(...PATHS.map((paths) => createMark(paths, LAST_JOB_ID)))] as const,
    [`acme/${name}-new`, { ...latest, statuses: {} }] as const,
  ]);
  return { ...others, ...Object.fromEntries(series), 'acme/widgets': latest };
}

/** A job that has opened a pull request. */
const LAST_JOB_ID = 'the-last-job';

/** What the examples with `changes-since: last job` set. */
const PATHS = [
  'src/**\n!src/**/*.test.ts',
  ...['core', 'sdk', 'cli'].map((name) => `packages/${name}/**`),
];

/** Returns the mark of a run that started nothing, since the job if there was one. */
function createMark(patterns = '*', jobId?: string): CommitStatus {
  const baseUrl = new URL('https://api.mintlify.com');
  const paths = parsePaths(patterns);
  const task = { baseUrl, projectId: 'quick', changesSince: LAST_JOB, paths };
  const id = PATHS.indexOf(patterns) + 10;
  const { series = '', paths: hash = '' } = getSeries(task);
  const run = { 'docs-agent-job': 'v7', fingerprint: `${id}`.padStart(32, '0'), runId: '1' };
  const mark = { ...run, series, paths: hash, state: 'mark', ...(jobId && { jobId }) };
  const target_url = `https://github.com/acme/widgets#${new URLSearchParams(mark)}`;
  const [context, created_at] = [`Docs agent job (${id})`, '2026-01-01T00:00:00Z'];
  return { id, state: 'success', context, description: null, target_url, created_at };
}

function addFiles(commit: RepositoryCommit, ...paths: string[]): RepositoryCommit {
  const size = { status: 'modified', additions: 1, deletions: 0 } as const;
  return { ...commit, files: [...commit.files, ...paths.map((path) => ({ path, ...size }))] };
}

/** Returns the options of act that replace actions with the working copy or a stand-in. */
function listReplacements(workspace: string, workflows: string): string[] {
  const used = [...workflows.matchAll(/uses: ([\w-]+\/[\w-]+)[\w./-]*(@\S+)/g)];
  const pairs = used.map(([, repository = '', version = '']) => {
    const isOurs = /\/(?:docs-agent-action|workflows)$/.test(repository);
    return `${repository}${version}=${isOurs ? workspace : standIns}`;
  });
  const replaced = [...new Set(pairs)].filter((pair) => !pair.startsWith(CHECKOUT));
  return replaced.flatMap((pair) => ['--local-repository', pair]);
}

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
}

/**
 * Creates a working copy in a folder, as after a checkout and `npm ci`. It lacks folders that no
 * workflow reads, because act copies everything for each job.
 */
function createWorkspace(folder: string): string {
  const workspace = join(folder, 'workspace');
  const unread = ['__tests__', 'docs', 'src'].map((name) => `:(exclude)${name}`);
  const options = ['--cached', '--others', '--exclude-standard', '-z', '--', ...unread];
  const files = git(root, 'ls-files', ...options).split('\0');
  for (const file of files.filter((name) => name !== '' && fs.existsSync(join(root, name)))) {
    // The example of the caller expects the called workflow there.
    const copy = file.replace('examples/organization.yml', '.github/workflows/docs-agent.yml');
    fs.mkdirSync(dirname(join(workspace, copy)), { recursive: true });
    fs.cpSync(join(root, file), join(workspace, copy));
  }
  fs.symlinkSync(join(root, 'node_modules'), join(workspace, 'node_modules'));
  git(workspace, 'init', '--quiet', '--initial-branch', 'main');
  git(workspace, 'remote', 'add', 'origin', 'https://github.com/acme/widgets.git');
  // For git alone: `.gitignore` names the folder, not a link, and act copies no file that it names.
  const excludes = join(folder, 'excludes');
  fs.writeFileSync(excludes, 'node_modules\n');
  git(workspace, 'config', 'core.excludesFile', excludes);
  git(workspace, 'add', '--all');
  const author = ['-c', 'user.name=octocat', '-c', 'user.email=octocat@example.invalid'];
  git(workspace, ...author, 'commit', '--quiet', '--message', 'Release v1.2.0');
  git(workspace, 'repack', '-a', '-d', '--quiet');
  return workspace;
}
