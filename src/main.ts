import { type RunContext, systemClock } from './clock.ts';
import { ActionError, getErrorText } from './errors.ts';
import { readGitHubContext } from './github/context.ts';
import { getInput, readInputs } from './inputs/read-inputs.ts';
import { createAgentClient } from './job/agent-client.ts';
import { getErrorOutcome, type Outcome, RunTracker } from './outcome.ts';
import { createReporter } from './report/reporter.ts';
import { resolveRequest } from './reuse/resolve-request.ts';
import { run } from './run.ts';
import { createRunner } from './runner/commands.ts';
import { listenForCancel, waitForUncaughtError } from './runner/signals.ts';
import { createRedactor } from './text/redact.ts';

const WATCHDOG_MS = 1_000;

/**
 * Runs the action once and reports how it ended, in this one place. The exit code stands at failure until an outcome
 * that passes is published, so nothing unforeseen ends as a green step. Never rejects.
 */
export async function main(): Promise<void> {
  process.exitCode = 1;
  const clock = systemClock;
  const startedAt = clock.now();
  const { cancel, forceCancel, dispose } = listenForCancel();
  const github = readGitHubContext(
    process.env,
    getInput(process.env, 'github-token'),
    getInput(process.env, 'check-run-id'),
  );
  const redact = createRedactor(getInput(process.env, 'api-key') ?? '', github.token ?? '');
  const runner = createRunner(redact);
  const tracker = new RunTracker();
  const reporter = createReporter({ runner, tracker, clock, startedAt, github, redact, cancel });

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
      throw new ActionError('unwritable-output', problem);
    }
    const deadline = startedAt + inputs.timeoutMs;
    const context: RunContext = { clock, random: Math.random, deadline, cancel, forceCancel };
    reporter.setInputs(inputs, deadline);
    const agent = createAgentClient({ ...inputs, redact });
    const loadRunReader = () => import('./github/run-reader.ts');
    const dependencies = { ...reporter, agent, github, loadRunReader, redact };
    const resolved = await resolveRequest(inputs, dependencies, context);
    if ('outcome' in resolved) {
      return resolved;
    }
    const getElapsed = () => clock.now() - startedAt;
    return run({ ...inputs, ...resolved }, { agent, tracker, events: reporter, getElapsed }, context);
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
    runner.line(
      `Couldn't publish the result: ${getErrorText(error)}. Job: ${tracker.state.jobId ?? 'none known'}.`,
    );
  }
  dispose();
  setTimeout(() => process.exit(), WATCHDOG_MS).unref();
}
