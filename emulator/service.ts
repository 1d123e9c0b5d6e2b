import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Job, toRecord } from './jobs.ts';
import { checkKey } from './keys.ts';
import { standardProjects } from './projects.ts';
import { type Fault, type Project, Refusal, type Reply, toJson } from './replies.ts';
import type { Route } from './routes.ts';

export interface ServiceOptions {
  /** How many times faster than real time jobs run. */
  readonly speed: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** How a request is answered. */
export interface Decision {
  readonly reply: Reply;
  /** The job that was started, read, or followed up; absent if the request had no effect. */
  readonly job?: Job;
}

export interface Service {
  readonly jobs: readonly Job[];
  /**
   * Handles the request according to the script of its project. Throws a `Refusal` if the service's
   * rules refuse it.
   */
  answer(route: Route, headers: IncomingHttpHeaders, body: Uint8Array): Decision;
  addJob(projectId: string, jobId?: string): Job;
}

/** Returns the rules of the service for the standard projects, without HTTP. */
export function createService({ speed, now }: ServiceOptions): Service {
  const jobs: Job[] = [];
  /** The create requests of each project since its last job was started. */
  const creates = new Map<Project, number>();

  function findJob(project: Project, jobId: string): Job {
    const known = jobs.find(({ id, project: { id: its } }) => id === jobId && its === project.id);
    const job = known ?? restoreJob(project, jobId);
    if (!job) {
      throw new Refusal(404, 'No such job; use the id of a job that this emulator has started');
    }
    if (!toRecord(job, now(), speed)) {
      throw new Refusal(404, 'Job not found');
    }
    return job;
  }

  /** Adds a job of an emulator that has ended, such as that of an earlier attempt. */
  function restoreJob(project: Project, id: string): Job | undefined {
    const createdAtMs = parseJobId(id, project.id);
    return createdAtMs <= now() ? keepJob(id, project, createdAtMs) : undefined;
  }

  function addJob(projectId: string, jobId?: string): Job {
    const project = findProject(projectId);
    const id = jobId ?? createJobId(projectId, now());
    creates.set(project, 0);
    return keepJob(id, project, now());
  }

  function keepJob(id: string, project: Project, createdAtMs: number): Job {
    const job = { id, project, prompts: [], createdAtMs, startedAtMs: createdAtMs, gets: 0 };
    jobs.push(job);
    return job;
  }

  function toDecision(reply: Fault | 'proper', job: Job, status = 200): Decision {
    const record = toRecord(job, now(), speed) ?? {};
    return { reply: reply === 'proper' ? toJson(status, record) : reply, job };
  }

  function create(project: Project, prompt: string): Decision {
    const count = creates.get(project) ?? 0;
    creates.set(project, count + 1);
    const reply = pickReply(project.replies?.create, count);
    if (reply !== 'proper' && !reply.takesEffect) {
      return { reply };
    }
    const job = addJob(project.id);
    job.prompts.push(prompt);
    return toDecision(reply, job, project.createdStatus ?? 201);
  }

  function followUp(job: Job, prompt: string): Decision {
    job.prompts.push(prompt);
    Object.assign(job, { startedAtMs: now(), gets: 0 });
    return toDecision('proper', job);
  }

  function answer(route: Route, headers: IncomingHttpHeaders, body: Uint8Array): Decision {
    checkKey(headers.authorization, route.call);
    const project = findProject(route.projectId);
    if (route.call === 'create') {
      return create(project, parsePrompt(headers['content-type'], body));
    }
    const job = findJob(project, route.jobId);
    return route.call === 'get'
      ? toDecision(pickReply(project.replies?.get, job.gets++), job)
      : followUp(job, parsePrompt(headers['content-type'], body));
  }

  return { jobs, answer, addJob };
}

/** The id says all that an emulator without memory must know: the project and the instant. */
function createJobId(projectId: string, createdAtMs: number): string {
  return `${projectId}_${createdAtMs.toString(36)}_${randomBytes(4).toString('hex')}`;
}

/** Returns when a job of the project was created. `NaN` for an id that no emulator has made. */
function parseJobId(jobId: string, projectId: string): number {
  const [, project, instant = ''] = /^([a-z0-9-]+)_([a-z0-9]{8})_[0-9a-f]{8}$/.exec(jobId) ?? [];
  return project === projectId ? Number.parseInt(instant, 36) : Number.NaN;
}

function findProject(projectId: string): Project {
  const project = standardProjects.find(({ id }) => id === projectId);
  if (!project) {
    const names = standardProjects.map(({ id }) => id).join(', ');
    throw new Refusal(404, `No such project; the projects of the emulator are ${names}`);
  }
  return project;
}

function pickReply(replies: readonly (Fault | 'proper')[] = ['proper'], earlierRequests: number) {
  return replies[earlierRequests] ?? replies.at(-1) ?? 'proper';
}

function parsePrompt(contentType: string | undefined, body: Uint8Array): string {
  if (!/^application\/json *(;|$)/i.test(contentType ?? '')) {
    throw new Refusal(400, 'Content-Type must be application/json');
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Refusal(400, 'Request body is not valid JSON');
  }
  const prompt =
    typeof value === 'object' && value !== null && 'prompt' in value ? value.prompt : undefined;
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw new Refusal(400, 'prompt must be a string that is not blank');
  }
  return prompt;
}
