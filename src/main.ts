import { systemClock } from './clock.ts';
import { getErrorText, ifPossible } from './errors.ts';
import { createGitHubApi, type OpenGitHub } from './github/api.ts';
import { readGitHubContext } from './github/context.ts';
import { getInput, readInputs } from './inputs/read-inputs.ts';
import { getErrorOutcome, type Outcome, Stop } from './outcome.ts';
import { createRecord, type JobRecord } from './record/record.ts';
import { createReporter } from './report/reporter.ts';
import { run } from './run.ts';
import { createRunner } from './runner/commands.ts';
import { listenForCancel, waitForUncaughtError } from './runner/signals.ts';
import { createAgentClient } from './service/agent-client.ts';
import { getJobId, RunTracker } from './state.ts';
import { createRedactor, isSecret } from './text/redact.ts';

const WATCHDOG_MS = 1_000;

/**
 * Runs the action once and reports the result. The exit code is 1 until a passing outcome is
 * published.
 */
export async function main(): Promise<void> {
  process.exitCode = 1;
  // Connections verify certificates in any case. With this variable, Node would warn otherwise.
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  // Keep waiting for the job even if nothing reads the log.
  process.stdout.on('error', () => {});
  const tracker = new RunTracker(systemClock);
  const { cancel, forceCancel, dispose } = listenForCancel();
  const token = getInput(process.env, 'github-token');
  const secrets = [getInput(process.env, 'api-key'), token].filter(isSecret);
  const redact = createRedactor(...secrets);
  const runner = createRunner(redact);
  // Mask secrets before checking the inputs: even if an input is invalid, later steps must not show
  // a secret.
  secrets.forEach(runner.mask);
  const github = readGitHubContext(token);
  const reporter = createReporter({ runner, tracker, github, redact, cancel });

  let record: JobRecord | undefined;

  async function attempt(): Promise<Outcome> {
    const inputs = readInputs(process.env, github);
    const deadline = tracker.startedAt + inputs.timeoutMs;
    tracker.setRequest(inputs.request);
    reporter.setInputs(inputs);
    const problem = runner.setOutputs({ 'job-id': getJobId(tracker.state) ?? '' });
    if (problem !== undefined) {
      return { outcome: 'not-started', code: 'unwritable-output', detail: problem };
    }
    const agent = createAgentClient({ ...inputs, redact });
    const openGitHub: OpenGitHub = (limits) => createGitHubApi(github, github.repository, limits);
    const context = { clock: systemClock, random: Math.random, deadline, cancel, forceCancel };
    const dependencies = { ...context, agent, github, openGitHub, tracker, redact, reporter };
    const isRecorded = inputs.request.kind === 'create' && inputs.reuse !== 'never';
    record = isRecorded ? createRecord(inputs, dependencies) : undefined;
    return run(inputs, record, dependencies);
  }

  try {
    const outcome = await Promise.race([attempt(), waitForUncaughtError()]).catch(
      (error: unknown) => {
        // After an unexpected error, abort whatever still runs. Otherwise, only a signal may abort
        // the last write.
        if (!(error instanceof Stop)) {
          dispose();
        }
        return getErrorOutcome(error, tracker.state);
      },
    );
    const passed = await reporter.conclude(outcome, record?.close(outcome));
    process.removeAllListeners('beforeExit');
    process.exitCode = passed ? 0 : 1;
  } catch (error) {
    ifPossible(() => runner.line(getErrorText(error)));
    // The logging code itself may have failed, because older versions of Node lack functions that
    // it needs.
    const job = getJobId(tracker.state) ?? 'none known';
    const node = `The action needs Node 20 or later; this is ${process.version}.`;
    process.stdout.write(`::error::Couldn't publish the result. Job: ${job}. ${node}\n`);
  }
  dispose();
  // Whatever is still open, such as a hanging connection, must not keep the process alive.
  setTimeout(() => process.exit(), WATCHDOG_MS).unref();
}
