import { getErrorText, undefinedIfThrown } from './errors.ts';
import { createGitHubApi } from './github/api.ts';
import { readGitHubContext } from './github/context.ts';
import { getInput, readInputs } from './inputs/read-inputs.ts';
import { Reporter } from './report/reporter.ts';
import { createRun } from './run/run.ts';
import { createRunner } from './runner/commands.ts';
import { listenForCancel, waitForUncaughtError } from './runner/signals.ts';
import { createAgentClient } from './service/agent-client.ts';
import { getErrorOutcome, getRunEnd, type Outcome, Stop } from './state/outcome.ts';
import { getJobId, RunTracker } from './state/run-state.ts';
import { createRedactor, isSecret } from './text/redact.ts';
import { systemClock as clock } from './time/deadline.ts';

const WATCHDOG_MS = 1_000;

/** Runs the action once. The exit code is 1 until a passing outcome is published. */
async function main(): Promise<void> {
  process.exitCode = 1;
  // Connections verify certificates in any case. With this variable, Node would warn otherwise.
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  // Keep waiting for the job even if nothing reads the log.
  process.stdout.on('error', () => {});
  const tracker = new RunTracker(clock);
  const { cancel, forceCancel, abortAll } = listenForCancel();
  const apiKey = getInput(process.env, 'api-key');
  const token = getInput(process.env, 'github-token');
  const pullToken = getInput(process.env, 'pr-token');
  const redact = createRedactor(apiKey, token ?? '', pullToken ?? '');
  const runner = createRunner(redact);
  // Before the inputs are checked: even if one is invalid, later steps must not show a secret.
  new Set([apiKey, token, pullToken].filter(isSecret)).forEach(runner.mask);
  const github = readGitHubContext(token, pullToken);
  const reporter = new Reporter(runner, tracker, { github, redact });
  let run: ReturnType<typeof createRun> | undefined;

  async function attempt(): Promise<Outcome> {
    const inputs = readInputs(process.env, github);
    tracker.update({ request: inputs.request });
    // Try out the outputs before anything is sent: no job is paid for whose id can't be written.
    const problem = runner.setOutputs({ 'job-id': inputs.request.jobId ?? '' });
    if (problem !== undefined) {
      return { result: 'not-started', code: 'unwritable-output', detail: problem };
    }
    reporter.begin(inputs);
    run = createRun({
      inputs,
      clock,
      random: Math.random,
      deadline: tracker.startedAt + inputs.timeoutMs,
      cancel,
      forceCancel,
      agent: createAgentClient({ ...inputs, redact }),
      github,
      openGitHub: (limits) => createGitHubApi(github, limits, clock),
      openPullRequests: (limits, repository) =>
        createGitHubApi({ ...github, token: github.pullToken, repository }, limits, clock),
      tracker,
      emit: (event) => reporter.onEvent(event),
      redact,
    });
    return run.execute();
  }

  try {
    const outcome = await Promise.race([attempt(), waitForUncaughtError()]).catch(
      (error: unknown) => {
        // After an unexpected error, abort all. Otherwise, only a signal aborts the last write.
        if (!(error instanceof Stop)) {
          abortAll();
        }
        return getErrorOutcome(error, tracker.state);
      },
    );
    reporter.setOutputs(outcome);
    // All that happened counts here, whatever the run was about to return.
    const { state } = tracker;
    const pullRequest = await run?.finish(getRunEnd(outcome, state));
    process.exitCode = reporter.conclude(outcome, pullRequest) ? 0 : 1;
  } catch (error) {
    undefinedIfThrown(() => runner.line(getErrorText(error)));
    // The logging code itself may have failed, because older versions of Node lack its functions.
    const job = getJobId(tracker.state) ?? 'none known';
    const node = `The action needs Node 20 or later; this is ${process.version}.`;
    process.stdout.write(`::error::Couldn't publish the result. Job: ${job}. ${node}\n`);
  }
  abortAll();
  // Whatever is still open, such as a hanging connection, must not keep the process alive.
  setTimeout(() => process.exit(), WATCHDOG_MS).unref();
}

void main();
