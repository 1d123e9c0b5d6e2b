import type { AgentApi, ApiResult } from './agent-client.ts';

const TIMEOUT_MS = 10_000;

/**
 * Reads a job once, for at most ten seconds, or `longestMs` if that is shorter. Never rejects when
 * the network or the service fails.
 */
export function readJobOnce(
  jobId: string,
  longestMs: number,
  { agent, cancel }: { readonly agent: Pick<AgentApi, 'getJob'>; readonly cancel: AbortSignal },
): Promise<ApiResult> {
  const timeoutMs = Math.max(1, Math.min(TIMEOUT_MS, longestMs));
  return agent.getJob(jobId, { timeoutMs, signal: cancel });
}
