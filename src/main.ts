import { systemClock } from './clock.ts';
import { ActionError, toErrorText } from './errors.ts';
import { type GitHubContext, readGitHubContext } from './github/context.ts';
import { getInput, InputError, readInputs } from './inputs/read-inputs.ts';
import { createAgentClient } from './job/agent-client.ts';
import { type Conclusion, createRunState, type RunState } from './outcome.ts';
import { createReport, type Report } from './report/reporter.ts';
import { prepare } from './reuse/resolve-request.ts';
import { run } from './run.ts';
import { findOutputProblem, maskSecret } from './runner/commands.ts';
import { createLog } from './runner/log.ts';
import { type Cancellation, listenForCancel } from './runner/signals.ts';
import { createRedactor } from './text/redact.ts';

const WATCHDOG_MS = 1_000;

/**
 * Runs the action once and reports how it ended, in this one place. The exit code stands at failure until
 * a verdict that passes is published, so nothing unforeseen ends as a green step. Never rejects.
 */
export async function main(): Promise<void> {
  process.exitCode = 1;
  const startedAt = systemClock.now();
  const elapsedMs = (): number => systemClock.now() - startedAt;
  const github = readGitHubContext(process.env, getInput(process.env, 'github-token'));
  const redact = createRedactor(getInput(process.env, 'api-key') ?? '', github.token ?? '');
  const log = createLog(redact);
  const progress = createRunState();
  const cancellation = listenForCancel();
  const report = createReport({ log, progress, elapsedMs, github, redact, cancel: cancellation.cancel });
  try {
    const conclusion = await Promise.race([
      attempt({ startedAt, progress, report, cancellation, github, redact }),
      catchTrouble().then((error) => {
        cancellation.abort();
        return toConclusion(error, progress, redact);
      }),
    ]);
    const isPassing = await report.conclude({ ...conclusion, progress, elapsedMs: elapsedMs() });
    cancellation.abort();
    process.removeAllListeners('beforeExit');
    process.exitCode = isPassing ? 0 : 1;
  } catch (error) {
    log.line(
      `The result could not be published: ${toErrorText(error)}. Job: ${progress.jobId ?? 'none known'}.`,
    );
  }
  setTimeout(() => process.exit(), WATCHDOG_MS).unref();
}

interface Attempt {
  readonly startedAt: number;
  readonly progress: RunState;
  readonly report: Report;
  readonly cancellation: Cancellation;
  readonly github: GitHubContext;
  readonly redact: (text: string) => string;
}

async function attempt(options: Attempt): Promise<Conclusion> {
  const { startedAt, progress, report, cancellation, github, redact } = options;
  try {
    const inputs = readInputs(process.env);
    maskSecret(inputs.apiKey);
    if (github.token !== undefined) {
      maskSecret(github.token);
    }
    const problem = findOutputProblem(process.env['GITHUB_OUTPUT']);
    if (problem !== undefined) {
      throw new ActionError('unwritable-output', problem);
    }
    progress.intent = inputs.intent;
    const { cancel } = cancellation;
    const api = createAgentClient({ ...inputs, redact });
    const shared = { api, clock: systemClock, startedAt, progress, cancel };
    return await run(inputs, {
      ...shared,
      prepare: async () => {
        progress.intent = await prepare(inputs, { ...shared, github, redact, onNote: report.onNote });
        return progress.intent;
      },
      random: Math.random,
      abandon: cancellation.abandon,
      events: report,
    });
  } catch (error) {
    return toConclusion(error, progress, redact);
  }
}

/** Resolves with what escaped every handler, or when nothing is left that could end the run. */
function catchTrouble(): Promise<unknown> {
  return new Promise((resolve) => {
    process.on('uncaughtException', resolve);
    process.on('unhandledRejection', resolve);
    process.on('beforeExit', () => resolve(new Error('the run stopped without a result')));
  });
}

/** What a thrown failure means, by what was known when it was thrown. */
function toConclusion(error: unknown, progress: RunState, redact: (text: string) => string): Conclusion {
  if (error instanceof InputError) {
    const list = error.problems.map((problem) => `- ${problem}`).join('\n');
    return { outcome: 'not-started', code: 'invalid-input', detail: redact(list) };
  }
  const detail = redact(toErrorText(error));
  if (error instanceof ActionError) {
    return { outcome: 'not-started', code: error.code, detail };
  }
  if (progress.isCreateInFlight) {
    return { outcome: 'start-unknown', code: 'internal', detail };
  }
  return { outcome: progress.jobId === undefined ? 'not-started' : 'lost', code: 'internal', detail };
}
