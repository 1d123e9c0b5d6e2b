import { getErrorCode, type Outcome } from '../outcome.ts';
import { isFinalStatus, type Job } from '../service/job.ts';
import { getJobId } from '../state.ts';
import { formatDuration } from '../text/duration.ts';
import { parsePullRequest } from '../text/link.ts';
import { code, joinSentences, link, type Message, message } from '../text/message.ts';
import { describeNotStarted } from './causes.ts';
import {
  completeTitle,
  isFollowUp,
  isNamed,
  isRehearsal,
  mayBeSecond,
  nameJob,
  type RunResult,
} from './facts.ts';
import { warnOfSecondJob } from './notes.ts';
import {
  copyJobId,
  describeCost,
  describeRerun,
  describeUsage,
  isRerunFree,
  lookForJob,
  NOTHING_SPENT,
  type Step,
  startAnotherJob,
  step,
  type Words,
  waitForJob,
} from './phrases.ts';

type Ending<Kind extends Outcome['outcome']> = Extract<Outcome, { outcome: Kind }>;

/** A name that a response may use for the id of a job. */
const ID_FIELD = /"(?:job_?)?id"/i;
const CONNECT_PAGE = 'https://www.mintlify.com/docs/agent#connect-repositories-as-context';

/**
 * Describes how a run ended, for annotation, log, and summary. `outputProblem` says why the outputs
 * couldn't be written.
 */
export function describeResult(result: RunResult, outputProblem?: string): Words {
  const words = describeOutcome(result);
  const title = completeTitle(words.title, result);
  const second = mayBeSecond(result) ? warnOfSecondJob(result.state.earlierJob) : undefined;
  const steps = [
    ...words.steps,
    ...(second === undefined ? [] : [step(second)]),
    ...describeUnreleased(result),
  ];
  const free = isRehearsal(result) ? message`A rehearsal costs nothing.` : [];
  const complete = { ...words, title, cost: joinSentences(words.cost ?? [], free), steps };
  const isTold = getErrorCode(result.outcome) === 'unwritable-output';
  return outputProblem === undefined || isTold
    ? complete
    : addOutputProblem(complete, outputProblem);
}

function describeOutcome(result: RunResult): Words {
  const { outcome } = result;
  switch (outcome.outcome) {
    case 'pull-request-opened':
      return describePullRequest(result);
    case 'no-pull-request':
      return result.state.job?.refusedLink === undefined
        ? describeNoPullRequest(result)
        : describeRefusedLink(result, result.state.job.refusedLink);
    case 'archived':
      return describeArchived(result);
    case 'failed':
      return describeFailed(result);
    case 'started':
      return describeStarted(result);
    case 'timed-out':
      return describeTimeout(result);
    case 'lost':
      return describeLost(outcome, result);
    case 'dry-run':
      return describeDryRun(outcome, result);
    case 'skipped':
      return describeSkipped(outcome);
    case 'cancelled':
      return describeCanceled(outcome, result);
    case 'start-unknown':
      return 'attempt' in outcome
        ? describeUnknownElsewhere(outcome, result)
        : describeUnknownStart(outcome, result);
    case 'not-started':
      return describeNotStarted(outcome, result);
  }
}

function describePullRequest(result: RunResult): Words {
  const { prLink = '' } = result.state.job ?? {};
  const isPullRequest = prLink !== '' && parsePullRequest(prLink) !== undefined;
  return {
    level: 'notice',
    title: isPullRequest ? 'Documentation pull request opened' : 'Documentation job completed',
    happened: isPullRequest
      ? message`${nameJob(result)} opened ${link(prLink)}.`
      : message`${nameJob(result)} completed with a link that isn't a pull request:
          ${link(prLink)}.`,
    cost: describeCost(result),
    steps: isPullRequest ? [] : [step(message`Review the change at the link.`)],
  };
}

function describeNoPullRequest(result: RunResult): Words {
  return {
    level: 'notice',
    title: 'No documentation pull request',
    happened: message`${nameJob(result)} completed without a pull request. Either nothing had to
      change, or the project publishes without pull requests, and the change may already be live.`,
    steps: [
      step(
        joinSentences(
          message`If you expected changes, check that this repository is connected to the service
            (${link(CONNECT_PAGE)}): the agent sees only connected repositories.`,
          startAnotherJob(result).text,
        ),
      ),
    ],
  };
}

function describeRefusedLink(result: RunResult, refused: string): Words {
  return {
    level: 'warning',
    title: 'No link to a pull request',
    happened: message`${nameJob(result)} completed. The service returned ${code(refused)}, which
      isn't a plain https link, so ${code('pr-link')} is empty.`,
    cost: describeCost(result),
    steps: [lookForJob(result)],
  };
}

function describeArchived(result: RunResult): Words {
  const { prLink } = result.state.job ?? {};
  return {
    level: 'warning',
    title: 'Documentation job archived',
    happened: message`${nameJob(result)} was archived by a person or by the service, so it won't
      continue.${prLink ? message` It opened ${link(prLink)}.` : []}`,
    cost: describeCost(result),
    steps: [...(prLink ? [] : [lookForJob(result)]), startAnotherJob(result)],
  };
}

function describeFailed(result: RunResult): Words {
  const { prLink } = result.state.job ?? {};
  const another = isNamed(result)
    ? startAnotherJob(result)
    : step(message`To start another job, which may cost credits, re-run the workflow job.`);
  return {
    level: 'error',
    title: 'Documentation job failed',
    happened: message`${nameJob(result)} failed${
      prLink
        ? message` after it opened
      ${link(prLink)}`
        : []
    }. The service doesn't say why.`,
    cost: joinSentences(describeCost(result), describeUsage(result)),
    steps: [
      prLink
        ? step(
            joinSentences(
              message`Review the pull request first: it may be incomplete.`,
              another.text,
            ),
          )
        : another,
      step(
        message`To send this job a follow-up, which may cost credits, set ${code('job-id')} and
          ${code('prompt')} in a new run.`,
        copyJobId(result),
      ),
    ],
  };
}

function describeStarted(result: RunResult): Words {
  return {
    level: 'notice',
    title: `Documentation job ${result.state.request?.kind === 'create' ? 'started' : 'continues'}`,
    happened: message`${nameJob(result)} may still open a pull request. This run isn't waiting for
      it.`,
    cost: describeCost(result),
    steps: [
      step(
        joinSentences(
          message`To wait for the job, start a new run with this ${code('job-id')},
            ${code('wait: true')}, and no prompt.`,
          describeUnawaitedRerun(result),
        ),
        copyJobId(result),
      ),
    ],
  };
}

/** Says what a re-run does, which won't wait either. */
function describeUnawaitedRerun(result: RunResult): Message {
  if (isNamed(result) && !isFollowUp(result)) {
    return message`A re-run doesn't wait either.`;
  }
  return isRerunFree(result)
    ? message`A re-run doesn't wait either. It starts another paid job only if this one failed or is
        gone.`
    : describeRerun(result);
}

function describeTimeout(result: RunResult): Words {
  const { state, elapsedMs } = result;
  const { job, pollFailure } = state;
  const waiting = waitForJob(result);
  const elapsed = formatDuration(elapsedMs);
  const base = {
    level: 'error',
    title: 'Timed out waiting for the documentation job',
    cost: describeCost(result),
  } as const;
  if (job === undefined || pollFailure !== undefined) {
    return {
      ...base,
      happened: message`${describeLastSeen(result)} It may still open a pull request.`,
      steps: [...waiting, step(message`Check the service's status page and the runner's network.`)],
    };
  }
  if (isFinalStatus(job.status)) {
    return {
      ...base,
      title: 'Timed out waiting for the follow-up',
      happened: message`${nameJob(result)} was ${code(job.status)} before the follow-up, and still
        is after ${elapsed}. The agent never appeared to start on the follow-up.`,
      steps: [
        step(
          joinSentences(message`Check the pull request for new commits.`, describeRerun(result)),
        ),
      ],
    };
  }
  return {
    ...base,
    happened: message`${nameJob(result)} is still ${code(job.status)} after ${elapsed}. It may still
      open a pull request.`,
    steps: [
      ...waiting,
      step(message`If jobs often take this long, raise ${code('timeout-minutes')}.`),
    ],
  };
}

/** Says when the job was last read, and what polls have returned since then. */
function describeLastSeen(result: RunResult): Message {
  const { job, pollFailure = 'no response', seenMs } = result.state;
  return job === undefined || seenMs === undefined
    ? message`The service didn't return the status of agent job
        ${code(getJobId(result.state) ?? '')} (${pollFailure}).`
    : message`${nameJob(result)} was ${code(job.status)} ${formatDuration(seenMs)} into the run.
        Every poll since then has failed (${pollFailure}).`;
}

function describeLost(outcome: Ending<'lost'>, result: RunResult): Words {
  const { detail } = outcome;
  const reason = outcome.code === 'internal' ? 'internal' : outcome.reason;
  const isUnknownJob = reason === 'not-found' && isNamed(result) && result.state.job === undefined;
  if (isUnknownJob) {
    return {
      level: 'error',
      title: 'Documentation job not found',
      happened: message`${nameJob(result)} was not found in this project (${detail}).`,
      cost: NOTHING_SPENT,
      steps: [
        step(
          message`Start a new run with the job id, ${code('project-id')}, and ${code('base-url')} of
            the run that started the job.`,
        ),
      ],
    };
  }
  return {
    level: 'error',
    title: 'Lost track of the documentation job',
    happened: message`${nameJob(result)} can't be read (${detail}). It may still open a pull
      request.`,
    cost: describeCost(result),
    steps:
      reason === 'not-found'
        ? replaceMissingJob(result)
        : [...explainLoss(reason), ...waitForJob(result), lookForJob(result)],
  };
}

/** What to do about a job that the service can't find anymore. */
function replaceMissingJob(result: RunResult): Step[] {
  const look = lookForJob(result);
  if (!isRerunFree(result) || isNamed(result)) {
    return [look, ...waitForJob(result)];
  }
  return [
    step(
      message`${look.text} If there is none, re-run: the re-run waits for this job, or starts
        another paid job if the service can't find this one for a minute.`,
    ),
    step(
      message`With a ${code('timeout-minutes')} of 2 or less, start a new run with
        ${code('reuse: never')} instead.`,
    ),
  ];
}

function explainLoss(reason: 'refused' | 'unreadable' | 'internal'): Step[] {
  switch (reason) {
    case 'refused':
      return [
        step(
          message`Check that the key is valid and may read jobs, and that ${code('project-id')} and
            ${code('base-url')} are right.`,
        ),
      ];
    case 'unreadable':
      return [
        step(
          message`Check ${code('base-url')}, and the firewall and the proxy between the runner and
            the service.`,
        ),
      ];
    case 'internal':
      return [step(message`Report this as a bug in this action.`)];
  }
}

function describeDryRun(outcome: Ending<'dry-run'>, result: RunResult): Words {
  if (outcome.keyCheck === 'unchecked') {
    return {
      level: 'warning',
      title: 'Dry run, key not checked',
      happened: message`The inputs are valid, but the key couldn't be checked (${outcome.detail}).`,
      cost: NOTHING_SPENT,
      steps: [step(message`Check ${code('base-url')} and the status of the service, then re-run.`)],
    };
  }
  const awaited = outcome.awaited === undefined ? [] : describeAwaited(outcome.awaited, result);
  const what =
    outcome.keyCheck === 'may-start'
      ? message`The inputs are valid, and the key can start jobs. Only a real run shows whether the
          project id is right and whether any credits are left.`
      : message`The inputs are valid, and the key can read the job.`;
  return {
    level: 'none',
    title: 'Dry run',
    happened: message`${what}${awaited}`,
    cost: NOTHING_SPENT,
    steps: [],
  };
}

function describeAwaited({ id, status }: Job, result: RunResult): Message {
  const first = isFollowUp(result) ? message`send the follow-up and ` : [];
  return message` A real run would ${first}wait for job ${code(id)}, now ${code(status)}.`;
}

function describeSkipped({ previousTag, files }: Ending<'skipped'>): Words {
  return {
    level: 'notice',
    title: 'Documentation job skipped',
    happened: message`No file that changed since ${code(previousTag)} matches ${code('paths')}
      (changed files: ${String(files)}).`,
    cost: NOTHING_SPENT,
    steps: [],
  };
}

function describeCanceled(outcome: Ending<'cancelled'>, result: RunResult): Words {
  const { stage, job } = result.state;
  if (stage === 'unconfirmed') {
    return {
      ...describeUnknownEffect(result, outcome.excerpt),
      level: 'none',
      title: `Canceled, ${isFollowUp(result) ? 'follow-up' : 'job'} not confirmed`,
      happened: message`The step was canceled while the request was in
        flight.${quoteExcerpt(outcome.excerpt)}`,
    };
  }
  const isUnsent =
    getJobId(result.state) === undefined || (isFollowUp(result) && job === undefined);
  if (isUnsent) {
    return {
      level: 'none',
      title: `Canceled, ${isFollowUp(result) ? 'follow-up not sent' : 'no job started'}`,
      happened: message`The step was canceled.`,
      cost: NOTHING_SPENT,
      steps: describeUnsentRerun(result),
    };
  }
  return {
    level: 'none',
    title: 'Canceled, job may continue',
    happened: message`The step was canceled. ${nameJob(result)} can't be stopped, and may still open
      a pull request.`,
    cost: describeCost(result),
    steps: waitForJob(result),
  };
}

function describeUnknownStart(
  outcome: Extract<Ending<'start-unknown'>, { detail: string }>,
  result: RunResult,
): Words {
  const isBug = outcome.code === 'internal';
  const { detail, excerpt } = outcome;
  const what = isFollowUp(result) ? 'follow-up' : 'job';
  const effect = describeUnknownEffect(result, excerpt);
  return {
    ...effect,
    title: `${isBug ? 'Error in this action' : 'No usable response'}, ${what} not confirmed`,
    happened: isBug
      ? message`This action failed after it sent the request (${detail}).`
      : message`The request was sent, but its result is unknown (${detail}). To avoid a second
          ${what}, the action did not retry.${quoteExcerpt(excerpt)}`,
    steps: [...effect.steps, ...(isBug ? explainLoss('internal') : [])],
  };
}

function quoteExcerpt(excerpt: string | undefined): Message {
  return excerpt === undefined ? [] : message` The response starts with ${code(excerpt)}.`;
}

/** What to do about a request that may have had an effect. */
function describeUnknownEffect(
  result: RunResult,
  excerpt: string | undefined,
): Pick<Words, 'level' | 'cost' | 'steps'> {
  if (isFollowUp(result)) {
    return {
      level: 'error',
      cost: message`The job may have received the follow-up, which may cost credits.`,
      steps: [step(message`Check the pull request for new commits. ${describeRerun(result)}`)],
    };
  }
  const named = step(
    message`If the response names a job, wait for it: start a new run with that ${code('job-id')}
      and no prompt.`,
  );
  const look = lookForJob(result);
  return {
    level: 'error',
    cost: message`A job may have been started, which may cost credits.`,
    steps: [
      ...(excerpt !== undefined && ID_FIELD.test(excerpt) ? [named] : []),
      step(
        message`Don't re-run yet. ${look.text} If you find anything, a job was started, so don't
          re-run.`,
      ),
      step(
        message`If nothing shows up within half an hour, re-run this workflow job, which starts a
          job and may cost credits.`,
      ),
    ],
  };
}

function describeUnknownElsewhere(
  { attempt }: Extract<Ending<'start-unknown'>, { attempt: unknown }>,
  result: RunResult,
): Words {
  const look = lookForJob(result);
  const rival = attempt.isSameAttempt
    ? message`Another step of this attempt`
    : message`Attempt ${String(attempt.attempt)} of the run at ${link(attempt.page)}`;
  return {
    level: 'error',
    title: `Another ${attempt.isSameAttempt ? 'step' : 'run'} may have started this job`,
    happened: message`${rival} was about to start this job, and no job id is on record. To avoid a
      second job, this run sent nothing.`,
    cost: message`That ${attempt.isSameAttempt ? 'step' : 'attempt'} may have started a job, which
      may cost credits.`,
    steps: [
      step(
        message`${look.text} If you find anything, a job was started, so don't re-run that one.`,
      ),
      step(
        message`If nothing shows up within half an hour, re-run the workflow job that was about to
          start it, or start a new run with ${code('reuse: never')}. Either one starts a job,
          which may cost credits.`,
      ),
    ],
  };
}

/** Says what a re-run does after a run that sent nothing. */
function describeUnsentRerun(result: RunResult): Step[] {
  if (result.state.claim.kind === 'unreleased') {
    return [];
  }
  return [
    step(
      isFollowUp(result)
        ? message`A re-run sends the follow-up, which may cost credits.`
        : message`A re-run starts the job, which may cost credits.`,
    ),
  ];
}

/** Says what remains of a claim that couldn't be released. */
function describeUnreleased({ state, inputs }: RunResult): Step[] {
  const { claim } = state;
  if (claim.kind !== 'unreleased') {
    return [];
  }
  const others =
    inputs?.reuse === 'release'
      ? message` Other runs for this release stop without starting a job; ${code('reuse: never')}
          in a new run starts one anyway.`
      : [];
  return [
    step(
      message`GitHub may still list this run as starting a job (${claim.detail}). A re-run starts
        the job with a warning, or stops without starting a job.${others}`,
    ),
  ];
}

function addOutputProblem(words: Words, problem: string): Words {
  const isFailure = words.level === 'error';
  return {
    ...words,
    level: 'error',
    title: isFailure ? words.title : `${words.title}, but the outputs were not written`,
    happened: message`The outputs couldn't be written (${problem}), so later steps don't get them
      (${code('unwritable-output')}). ${words.happened}`,
    steps: [
      ...words.steps,
      step(
        message`Check that the runner's disk isn't full, and that the GITHUB_OUTPUT file is
          writable.`,
      ),
    ],
  };
}
