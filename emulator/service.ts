import type { IncomingHttpHeaders } from 'node:http';
import { type JobRecord, type Project, proper, Refusal, type Reply } from './behavior.ts';
import { type Job, makeJob, restartJob, toRecord } from './jobs.ts';
import { checkKey } from './keys.ts';
import { standardProjects } from './projects.ts';
import type { Route } from './routes.ts';

const hourMs = 3_600_000;
/** Create requests and follow-ups that a project allows in an hour. */
const usesPerHour = 100;

export interface ServiceOptions {
  /** How many times faster than real time jobs run. */
  readonly speed: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** How a request is answered and why. */
export interface Decision {
  readonly reply: Reply;
  /** Whether the service's rules refused the request. */
  readonly refused?: boolean;
  /**
   * The job that was started, read, or followed up, and its record; absent if the request had no
   * effect.
   */
  readonly job?: Job;
  readonly record?: JobRecord;
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

interface ProjectState {
  readonly project: Project;
  /** Times of the uses of the last hour, oldest first. */
  uses: number[];
  /** Since the last job was started. */
  creates: number;
}

/** Returns the rules of the service for the standard projects, without HTTP. */
export function createService({ speed, now }: ServiceOptions): Service {
  const states = standardProjects.map((project): ProjectState => {
    return { project, uses: [], creates: 0 };
  });
  const jobs: Job[] = [];

  function findState(projectId: string): ProjectState {
    const state = states.find(({ project }) => project.id === projectId);
    if (!state) {
      const names = standardProjects.map(({ id }) => id).join(', ');
      throw new Refusal(404, `No such project; the projects of the emulator are ${names}`);
    }
    return state;
  }

  function findJob({ project }: ProjectState, jobId: string): Job {
    const job = jobs.find(({ id, projectId }) => id === jobId && projectId === project.id);
    if (!job) {
      throw new Refusal(404, 'No such job; use the id of a job that this emulator has started');
    }
    if (!toRecord(job, project, now(), speed)) {
      throw new Refusal(404, 'Job not found');
    }
    return job;
  }

  function addJob(projectId: string, jobId?: string): Job {
    const job = makeJob(projectId, now(), jobId);
    findState(projectId).creates = 0;
    jobs.push(job);
    return job;
  }

  function toDecision(
    { project }: ProjectState,
    reply: Reply,
    job: Job,
    usualStatus: number,
  ): Decision {
    const record = toRecord(job, project, now(), speed);
    return {
      reply: reply.kind === 'proper' ? { status: usualStatus, ...reply } : reply,
      job,
      ...(record && { record }),
    };
  }

  function create(state: ProjectState, prompt: string): Decision {
    const { project } = state;
    const reply = pickReply(project.replies?.create, state.creates++);
    if (!hasEffect(reply)) {
      return { reply };
    }
    state.uses.push(now());
    const job = addJob(project.id);
    job.prompts.push(prompt);
    return toDecision(state, reply, job, 201);
  }

  function followUp(state: ProjectState, job: Job, prompt: string): Decision {
    const reply = pickReply(state.project.replies?.['follow-up'], job.followUps++);
    if (!hasEffect(reply)) {
      return { reply };
    }
    state.uses.push(now());
    restartJob(job, prompt, now());
    return toDecision(state, reply, job, 200);
  }

  function answer(route: Route, headers: IncomingHttpHeaders, body: Uint8Array): Decision {
    checkKey(headers.authorization, route.call);
    const state = findState(route.projectId);
    if (route.call === 'get') {
      const job = findJob(state, route.jobId);
      return toDecision(state, pickReply(state.project.replies?.get, job.gets++), job, 200);
    }
    const job = route.call === 'create' ? undefined : findJob(state, route.jobId);
    const prompt = parsePrompt(headers['content-type'], body);
    checkUses(state, now());
    return job ? followUp(state, job, prompt) : create(state, prompt);
  }

  return { jobs, answer, addJob };
}

/**
 * The window rolls: a use counts for an hour. The number is from the service's public
 * documentation.
 */
function checkUses(state: ProjectState, nowMs: number): void {
  state.uses = state.uses.filter((usedAt) => usedAt > nowMs - hourMs);
  const oldest = state.uses[state.uses.length - usesPerHour];
  if (oldest === undefined) {
    return;
  }
  const seconds = Math.ceil((oldest + hourMs - nowMs) / 1000);
  throw new Refusal(429, 'Rate limit exceeded', { 'retry-after': String(seconds) });
}

function hasEffect(reply: Reply): boolean {
  return reply.kind === 'proper' || reply.takesEffect === true;
}

function pickReply(replies: readonly Reply[] | undefined, earlierRequests: number): Reply {
  return replies?.[Math.min(earlierRequests, replies.length - 1)] ?? proper;
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
  if (prompt === undefined) {
    throw new Refusal(400, 'prompt is required');
  }
  if (typeof prompt !== 'string') {
    throw new Refusal(400, 'prompt must be a string');
  }
  if (prompt.trim() === '') {
    throw new Refusal(400, 'prompt must not be blank');
  }
  return prompt;
}
