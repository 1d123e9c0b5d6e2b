import { join } from 'node:path';
import { createGitHubApi } from '../../src/github/api.ts';
import { readGitHubContext } from '../../src/github/context.ts';
import { getInput, readInputs } from '../../src/inputs/read-inputs.ts';
import { Reporter } from '../../src/report/reporter.ts';
import { createRun } from '../../src/run/run.ts';
import { createRunner, type Runner } from '../../src/runner/commands.ts';
import { createAgentClient } from '../../src/service/agent-client.ts';
import { getErrorOutcome, getRunEnd } from '../../src/state/outcome.ts';
import { RunTracker } from '../../src/state/run-state.ts';
import { createRedactor, isSecret } from '../../src/text/redact.ts';
import { type Clock, systemClock } from '../../src/time/deadline.ts';
import { type ActionOptions, type ActionResult, getVariables } from '../harness/action.ts';
import { createRunFolder } from '../harness/action-environment.ts';
import { collectResult } from '../harness/action-result.ts';
import { showOnFailure } from '../harness/failure-report.ts';

/**
 * Runs the action in this process, which takes a tenth of the CPU time of its own one. Does what
 * `main.ts` does, except for signals and uncaught errors. Limits of requests are in real time.
 */
export async function runInside(options: ActionOptions): Promise<ActionResult> {
  const { timeScale: scale = 1 } = options;
  const folder = createRunFolder();
  const env = { ...getVariables(options, folder) };
  const output = { stdout: '', stderr: '' };
  showOnFailure('log', () => output.stdout);
  const startedAtMs = performance.now();
  const clock: Clock = {
    now: () => performance.now() * scale,
    sleep: (ms, signal) => systemClock.sleep(ms / scale, signal),
  };
  const exitCode = await play(env, clock, output);
  const ended = { exitCode, signal: null, killedLate: false, ...output };
  const durationMs = performance.now() - startedAtMs;
  const result = collectResult({ ...ended, durationMs }, folder.files, join(folder.root, 'none'));
  folder.remove();
  return result;
}

async function play(env: NodeJS.ProcessEnv, clock: Clock, output: { stdout: string }) {
  const within = <T>(act: () => T): T => runWithin(env, output, act);
  const [apiKey, token, pullToken] = (['api-key', 'github-token', 'pr-token'] as const).map(
    (name) => getInput(env, name),
  );
  const redact = createRedactor(apiKey, token ?? '', pullToken ?? '');
  const runner = wrap(createRunner(redact), within);
  new Set([apiKey, token, pullToken].filter(isSecret)).forEach(runner.mask);
  const github = within(() => readGitHubContext(token, pullToken));
  const tracker = new RunTracker(clock);
  const reporter = new Reporter(runner, tracker, { github, redact });
  const cancel = new AbortController();
  let run: ReturnType<typeof createRun> | undefined;
  const attempt = async () => {
    const inputs = readInputs(env, github);
    tracker.update({ request: inputs.request });
    runner.setOutputs({ 'job-id': inputs.request.jobId ?? '' });
    reporter.begin(inputs);
    run = createRun({
      ...{ inputs, clock, github, tracker, redact, random: Math.random },
      deadline: tracker.startedAt + inputs.timeoutMs,
      cancel: cancel.signal,
      forceCancel: cancel.signal,
      agent: createAgentClient({ ...inputs, redact }),
      openGitHub: (limits) => createGitHubApi(github, limits, clock),
      openPullRequests: (limits, repository) =>
        createGitHubApi({ ...github, token: github.pullToken, repository }, limits, clock),
      emit: (event) => reporter.onEvent(event),
    });
    return run.execute();
  };
  const outcome = await attempt().catch((error) => getErrorOutcome(error, tracker.state));
  reporter.setOutputs(outcome);
  const pullRequest = await run?.finish(getRunEnd(outcome, tracker.state));
  cancel.abort();
  return reporter.conclude(outcome, pullRequest) ? 0 : 1;
}

/** Acts with these variables, and adds to the log what is printed. Others never notice. */
function runWithin<T>(env: NodeJS.ProcessEnv, output: { stdout: string }, act: () => T): T {
  const { env: ownEnv } = process;
  const { write } = process.stdout;
  process.env = env;
  process.stdout.write = (text: string | Uint8Array): boolean => {
    output.stdout += text;
    return true;
  };
  try {
    return act();
  } finally {
    process.env = ownEnv;
    process.stdout.write = write;
  }
}

function wrap(runner: Runner, within: <T>(act: () => T) => T): Runner {
  const methods = Object.entries(runner as Record<string, (...args: unknown[]) => unknown>);
  const wrapped = methods.map(([name, method]) => {
    return [name, (...args: unknown[]) => within(() => method(...args))];
  });
  return Object.fromEntries(wrapped);
}
