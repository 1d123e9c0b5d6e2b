import type { RunContext } from '../clock.ts';
import { InputError } from '../errors.ts';
import type { GitHubContext } from '../github/context.ts';
import { getFingerprint } from '../github/job-annotation.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { AgentApi } from '../job/agent-client.ts';
import type { ResolvedRequest } from '../outcome.ts';
import { code, type Message, message } from '../text/message.ts';
import type { Redact } from '../text/redact.ts';

export interface ResolveDependencies {
  readonly agent: AgentApi;
  readonly github: GitHubContext;
  /** Takes the secrets out of what GitHub says before it is sent to the service. */
  readonly redact: Redact;
  readonly onNote: (note: Message) => void;
}

const MAX_TIMEOUT_MS = 20_000;

/**
 * Resolves the request: reuses the job of an earlier attempt, or appends the release context to the prompt. Each takes
 * at most 20 seconds and half of the time that is left. Throws an `InputError` if `release-tag` does not exist.
 */
export async function resolveRequest(
  inputs: Inputs,
  dependencies: ResolveDependencies,
  context: RunContext,
): Promise<ResolvedRequest> {
  const { request, baseUrl, projectId, release } = inputs;
  if (request.kind === 'attach') {
    return { request, fingerprint: undefined, reuse: undefined };
  }
  if (request.kind === 'follow-up') {
    const prompt = await composePrompt(request.prompt, inputs, dependencies, context);
    return { request: { ...request, prompt }, fingerprint: undefined, reuse: undefined };
  }
  const fingerprint = getFingerprint({
    baseUrl,
    projectId,
    prompt: request.prompt,
    releaseTag: release?.tag,
  });
  const reuse = await findReuse(inputs, fingerprint, dependencies, context);
  if (reuse?.kind === 'reused') {
    return { request: { kind: 'attach', jobId: reuse.jobId }, fingerprint, reuse };
  }
  const prompt = await composePrompt(request.prompt, inputs, dependencies, context);
  return { request: { ...request, prompt }, fingerprint, reuse };
}

async function findReuse(
  { reuseOnRerun, dryRun }: Inputs,
  fingerprint: string,
  { agent, github, onNote }: ResolveDependencies,
  context: RunContext,
): Promise<ResolvedRequest['reuse']> {
  if (!reuseOnRerun || dryRun || github.runAttempt === 1) {
    return undefined;
  }
  const { findReusableJob } = await import('./reuse-job.ts');
  const timeoutMs = getTimeout(context);
  const reuse = await findReusableJob({
    context: github,
    fingerprint,
    agent,
    timeoutMs,
    signal: context.cancel,
  });
  onNote(
    reuse.kind === 'reused'
      ? message`re-run: waiting for job ${reuse.jobId}, which attempt ${String(reuse.attempt)} started`
      : message`re-run: starting a new job, because ${reuse.reason}`,
  );
  return reuse;
}

async function composePrompt(
  prompt: string,
  { release }: Inputs,
  { github, redact, onNote }: ResolveDependencies,
  context: RunContext,
): Promise<string> {
  if (release === undefined) {
    return prompt;
  }
  const { readRelease, renderReleaseContext, UnknownTagError } = await import('../github/release/release.ts');
  const limits = { timeoutMs: getTimeout(context), signal: context.cancel };
  try {
    const { release: found, missing, reason } = await readRelease(github, release, limits);
    if (missing.length > 0) {
      onNote(message`couldn't read some of the release context: ${missing.join(', ')} (${reason})`);
    }
    return `${prompt}\n\n---\n${redact(renderReleaseContext(found))}`;
  } catch (error) {
    throw error instanceof UnknownTagError
      ? new InputError([message`${code('release-tag')} is wrong: ${error.message}.`])
      : error;
  }
}

function getTimeout({ clock, deadline }: RunContext): number {
  return Math.min(MAX_TIMEOUT_MS, (deadline - clock.now()) / 2);
}
