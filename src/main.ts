import { systemClock } from './clock.ts';
import { getErrorText } from './errors.ts';
import { createGitHubApi, type OpenGitHub } from './github/api.ts';
import { readGitHubContext } from './github/context.ts';
import { getInput, readInputs } from './inputs/read-inputs.ts';
import { createAgentClient } from './job/agent-client.ts';
import { getErrorOutcome, type Outcome } from './outcome.ts';
import { createRecord } from './plan/record.ts';
import { createReporter } from './report/reporter.ts';
import { run } from './run.ts';
import { createRunner } from './runner/commands.ts';
import { listenForCancel, waitForUncaughtError } from './runner/signals.ts';
import { RunTracker } from './state.ts';
import { createRedactor } from './text/redact.ts';

const WATCHDOG_MS = 1_000;

/**
 * Runs the action once, and reports how it ended in this one place. The exit code is 1 until an outcome that passes is
 * published, so an unexpected error never ends as a green step. Never rejects.
 */
export async function main(): Promise<void> {
  process.exitCode = 1;
  const tracker = new RunTracker(systemClock);
  const { cancel, forceCancel, dispose } = listenForCancel();
  const github = readGitHubContext(getInput(process.env, 'github-token'));
  const redact = createRedactor(getInput(process.env, 'api-key') ?? '', github.token ?? '');
  const runner = createRunner(redact);
  const reporter = createReporter({ runner, tracker, clock: systemClock, github, redact, cancel });

  async function attempt(): Promise<Outcome> {
    const inputs = readInputs(process.env, github.eventTag);
    for (const secret of [inputs.apiKey, github.token]) {
      if (secret !== undefined) {
        runner.mask(secret);
      }
    }
    tracker.setRequest(inputs.request);
    const problem = runner.setOutputs({ 'job-id': tracker.state.jobId ?? '' });
    if (problem !== undefined) {
      return { outcome: 'not-started', code: 'unwritable-output', httpStatus: undefined, detail: problem };
    }
    const deadline = tracker.startedAt + inputs.timeoutMs;
    reporter.setInputs(inputs, deadline);
    const { baseUrl, projectId, apiKey } = inputs;
    const agent = createAgentClient({ baseUrl, projectId, apiKey, redact });
    const context = { clock: systemClock, random: Math.random, deadline, cancel, forceCancel };
    const openGitHub: OpenGitHub = (limits) => createGitHubApi(github, github.repository, limits);
    const record = createRecord(inputs, { github, openGitHub, tracker }, context);
    reporter.setRecord(record);
    return run(inputs, { agent, github, openGitHub, tracker, redact, reporter, record }, context);
  }

  try {
    const outcome = await Promise.race([attempt(), waitForUncaughtError()]).catch((error: unknown) => {
      dispose();
      return getErrorOutcome(error, tracker.state);
    });
    const passed = await reporter.conclude(outcome);
    process.removeAllListeners('beforeExit');
    process.exitCode = passed ? 0 : 1;
  } catch (error) {
    const job = tracker.state.jobId ?? 'none known';
    runner.line(`Couldn't publish the result: ${getErrorText(error)}. Job: ${job}.`);
  }
  dispose();
  endProcess();
}

/**
 * Ends the process soon, even if a handle is still open. A look-up that hangs would hold up `process.exit` until the
 * resolver gives up. SIGKILL does not wait for it, but a step that passes must not end with a kill.
 */
function endProcess(): void {
  if (!process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) {
    setTimeout(() => process.exit(), WATCHDOG_MS).unref();
    return;
  }
  process.stdout.write('', () => {
    if (process.exitCode !== 0) {
      process.kill(process.pid, 'SIGKILL');
    }
    // The first process of a namespace ignores the signal.
    process.exit();
  });
}
