import { type Addresses, type Schemas, toId, toMinimalRepository, toSha, toUser } from './payloads.ts';
import type { Annotation, WorkflowAttempt, WorkflowJob, WorkflowRun } from './repository.ts';

const MINUTE_MS = 60_000;
const ANNOTATIONS_PER_STEP = 10;
const ANNOTATIONS_PER_JOB = 50;
const ANNOTATION_LENGTH = 4_096;

/** A run with the defaults for everything that a repository may leave out. */
export type KnownRun = Required<WorkflowRun> & { readonly id: number };

/** The runs of a repository, newest first, as GitHub lists them. */
export function listRuns(runs: Readonly<Record<string, WorkflowRun>>, defaultTime: string): KnownRun[] {
  return Object.entries(runs)
    .map(([id, run]) => toKnownRun(Number(id), run, defaultTime))
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || b.id - a.id);
}

function toKnownRun(id: number, run: WorkflowRun, defaultTime: string): KnownRun {
  const { file = 'docs.yml', event = 'push', headBranch = 'main', headSha = toSha('head') } = run;
  const { createdAt = defaultTime, title = 'Bring the gauges up to date', attempts } = run;
  return { id, file, event, headBranch, headSha, createdAt, title, attempts };
}

/** The id that the API assigns to a workflow file. */
export function toWorkflowId(file: string): number {
  return toId(`workflow ${file}`);
}

/** Returns a run as the API shows it, in its last attempt. */
export function toWorkflowRun(addresses: Addresses, run: KnownRun): Schemas['workflow-run'] {
  const { id, file, event, headBranch, headSha, createdAt, title } = run;
  const attempt = Math.max(1, run.attempts.length);
  const { api, page, owner } = addresses;
  const jobs = run.attempts[attempt - 1] ?? [];
  const url = `${api}/actions/runs/${id}`;
  const previous = attempt > 1 ? `${url}/attempts/${attempt - 1}` : null;
  const user = toUser(addresses, owner);
  const repository = toMinimalRepository(addresses);
  const person = { name: 'octocat', email: 'octocat@example.com' };
  const startedAt = toStart(run, attempt);
  return {
    id,
    name: file,
    node_id: `WFR_${id}`,
    check_suite_id: toId(`suite ${id}`),
    check_suite_node_id: `CS_${id}`,
    head_branch: headBranch,
    head_sha: headSha,
    path: `.github/workflows/${file}`,
    display_title: title,
    run_number: 1,
    run_attempt: attempt,
    event,
    ...toRunState(jobs),
    workflow_id: toWorkflowId(file),
    url,
    html_url: `${page}/actions/runs/${id}`,
    pull_requests: [],
    created_at: createdAt,
    updated_at: startedAt,
    run_started_at: startedAt,
    actor: user,
    triggering_actor: user,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${api}/check-suites/${toId(`suite ${id}`)}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: previous,
    workflow_url: `${api}/actions/workflows/${toWorkflowId(file)}`,
    referenced_workflows: [],
    head_commit: {
      id: headSha,
      tree_id: toSha(`tree ${headSha}`),
      message: title,
      timestamp: createdAt,
      author: person,
      committer: person,
    },
    repository,
    head_repository: repository,
  };
}

/** The start of an attempt: ten minutes after the previous one. */
function toStart({ createdAt }: KnownRun, attempt: number): string {
  return toTime(Date.parse(createdAt) + (attempt - 1) * 10 * MINUTE_MS);
}

/** A time in the form of the API, in whole seconds. */
export function toTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function toRunState(
  jobs: WorkflowAttempt,
): Pick<Schemas['workflow-run'], 'status' | 'conclusion'> & { status: string } {
  const states = jobs.map(toState);
  if (states.length === 0 || states.every(({ status }) => status === 'queued')) {
    return { status: 'queued', conclusion: null };
  }
  if (states.some(({ status }) => status !== 'completed')) return { status: 'in_progress', conclusion: null };
  const conclusions = states.map(({ conclusion }) => conclusion);
  const conclusion = (['failure', 'cancelled'] as const).find((value) => conclusions.includes(value));
  return { status: 'completed', conclusion: conclusion ?? 'success' };
}

function toState({
  state = 'finished',
  conclusion,
}: WorkflowJob): Pick<Schemas['job'], 'status' | 'conclusion'> {
  switch (state) {
    case 'queued':
      return { status: 'queued', conclusion: null };
    case 'running':
      return { status: 'in_progress', conclusion: null };
    case 'killed':
      return { status: 'completed', conclusion: 'failure' };
    case 'finished':
      return { status: 'completed', conclusion: conclusion ?? 'failure' };
  }
}

/** A workflow job. Its attempt is the first one that lists it, even if later ones list it again. */
export function toWorkflowJob(addresses: Addresses, run: KnownRun, job: WorkflowJob): Schemas['job'] {
  const { api, page } = addresses;
  const { id, name } = job;
  const attempt = 1 + run.attempts.findIndex((jobs) => jobs.some((other) => other.id === id));
  const { status, conclusion } = toState(job);
  const startedAt = job.startedAt ?? toStart(run, attempt);
  const isAssigned = status !== 'queued' && conclusion !== 'skipped';
  const times = { started_at: startedAt, completed_at: status === 'completed' ? startedAt : null };
  const step = { name: 'Run docs-agent-action', number: 1, status: 'in_progress' as const, conclusion: null };
  return {
    id,
    run_id: run.id,
    run_url: `${api}/actions/runs/${run.id}`,
    run_attempt: attempt,
    node_id: `CR_${id}`,
    head_sha: run.headSha,
    url: `${api}/actions/jobs/${id}`,
    html_url: `${page}/actions/runs/${run.id}/job/${id}`,
    status,
    conclusion,
    created_at: startedAt,
    ...times,
    name,
    steps: isAssigned ? [{ ...step, ...(status === 'completed' && { status, conclusion }), ...times }] : [],
    check_run_url: `${api}/check-runs/${id}`,
    labels: ['ubuntu-latest'],
    runner_id: isAssigned ? 1 : null,
    runner_name: isAssigned ? 'GitHub Actions 1' : null,
    runner_group_id: isAssigned ? 0 : null,
    runner_group_name: isAssigned ? 'GitHub Actions' : null,
    workflow_name: run.file,
    head_branch: run.headBranch,
  };
}

/** GitHub's own annotation for a job whose runner was lost. It replaces those of its steps. */
const runnerLost: Annotation = {
  title: '',
  message: 'The hosted runner lost communication with the server.',
  level: 'failure',
};

/**
 * The annotations of a workflow job that GitHub keeps: 10 of each level per step, and 50 per job. None while the job
 * runs, and none from its steps if its runner was lost.
 */
export function listAnnotations({ state = 'finished', annotations = [] }: WorkflowJob): Annotation[] {
  if (state === 'killed') return [runnerLost];
  if (state !== 'finished') return [];
  const counts = new Map<string, number>();
  const kept = annotations.filter(({ level = 'notice', step = 1 }) => {
    const count = (counts.get(`${step} ${level}`) ?? 0) + 1;
    counts.set(`${step} ${level}`, count);
    return count <= ANNOTATIONS_PER_STEP;
  });
  return kept.slice(0, ANNOTATIONS_PER_JOB);
}

/** An annotation that a step wrote with `::notice title=…::…`. The API shows it as a line of the file `.github`. */
export function toAnnotation(
  { page }: Addresses,
  { title, message, level = 'notice' }: Annotation,
): Schemas['check-annotation'] {
  return {
    path: '.github',
    blob_href: `${page}/blob/${toSha('head')}/.github`,
    start_line: 12,
    end_line: 12,
    start_column: null,
    end_column: null,
    annotation_level: level,
    title,
    message: message.slice(0, ANNOTATION_LENGTH),
    raw_details: null,
  };
}
