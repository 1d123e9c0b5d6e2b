import { isFinalStatus } from '../service/job.ts';
import type { ReadFailure } from '../service/retry-policy.ts';
import type {
  CancelledOutcome,
  DryRunOutcome,
  LostOutcome,
  SkippedOutcome,
  StartUnknownOutcome,
} from '../state/outcome.ts';
import { getJobId, type RecordedAttempt } from '../state/run-state.ts';
import { formatDuration } from '../text/duration.ts';
import { parsePullRequest } from '../text/link.ts';
import { code, joinSentences, link, type Message, message } from '../text/message.ts';
import { describeNotStarted } from './causes.ts';
import { explainSecondJob } from './notes.ts';
import {
  canAttach,
  canRerunStart,
  copyJobId,
  describeCost,
  describeRerun,
  describeUsage,
  getWaitSteps,
  isRerunFree,
  lookForJob,
  NOTHING_SPENT,
  quoteExcerpt,
  STOPPED_RERUN,
  type Step,
  startAnotherJob,
  step,
  type Words,
  withoutReuse,
} from './phrases.ts';
import {
  completeTitle,
  type FinishedRun,
  isFollowUp,
  isNamed,
  isRehearsal,
  nameJob,
} from './run-info.ts';

/**
 * Up to this timeout, a re-run can't make sure that a job is gone: that takes a minute, and at most
 * half of the time that GitHub has left (see `askService`).
 */
const MISSING_JOB_TIMEOUT_MS = 150_000;
const CONNECT_PAGE = 'https://www.mintlify.com/docs/agent#connect-repositories-as-context';

/**
 * Describes how a run ended, for annotation, log, and summary. `outputProblem` says why the outputs
 * couldn't be written.
 */
export function describeResult(run: FinishedRun, outputProblem?: string): Words {
  const words = describeOutcome(run);
  const title = completeTitle(words.title, run);
  const steps = [...words.steps, ...describeUnreleased(run)];
  const { cost = [] } = words;
  const free = isRehearsal(run) ? message`A rehearsal costs nothing.` : [];
  const complete = { ...words, title, cost: joinSentences(cost, free), steps };
  const isTold = run.outcome.code === 'unwritable-output';
  return outputProblem === undefined || isTold
    ? complete
    : addOutputProblem(complete, outputProblem);
}

function describeOutcome(run: FinishedRun): Words {
  const { outcome } = run;
  switch (outcome.result) {
    case 'pull-request-opened':
      return describePullRequest(run);
    case 'no-pull-request':
      return run.state.job?.refusedLink === undefined
        ? describeNoPullRequest(run)
        : describeRefusedLink(run, run.state.job.refusedLink);
    case 'archived':
      return describeArchived(run);
    case 'failed':
      return describeFailed(run);
    case 'started':
      return describeStarted(run);
    case 'timed-out':
      return describeTimeout(run);
    case 'lost':
      return describeLost(outcome, run);
    case 'dry-run':
      return describeDryRun(outcome, run);
    case 'skipped':
      return describeSkipped(outcome);
    case 'cancelled':
      return describeCanceled(outcome, run);
    case 'start-unknown':
      return outcome.attempt === undefined
        ? describeUnknownStart(outcome, run)
        : describeStartedElsewhere(outcome.attempt, run);
    case 'not-started':
      return describeNotStarted(outcome, run);
  }
}

function describePullRequest(run: FinishedRun): Words {
  const { prLink = '' } = run.state.job ?? {};
  const isPullRequest = prLink !== '' && parsePullRequest(prLink) !== undefined;
  return {
    level: 'notice',
    title: isPullRequest ? 'Documentation pull request opened' : 'Documentation job completed',
    happened: isPullRequest
      ? message`${nameJob(run)} opened ${link(prLink)}.`
      : message`${nameJob(run)} completed with a link that isn't a pull request:
          ${link(prLink)}.`,
    cost: describeCost(run),
    steps: [
      ...(isPullRequest ? [] : [step(message`Review the change at the link.`)]),
      ...warnOfRerun(run),
    ],
  };
}

/** Says what a re-run costs, unless it is free. */
function warnOfRerun(run: FinishedRun): Step[] {
  return isRerunFree(run) ? [] : [step(describeRerun(run))];
}

function describeNoPullRequest(run: FinishedRun): Words {
  return {
    level: 'notice',
    title: 'No documentation pull request',
    happened: message`${nameJob(run)} completed without a pull request. Either there was nothing to
      update, or the project publishes without pull requests, and the change may already be live.`,
    cost: describeCost(run),
    steps: [
      step(
        message`If you expected changes, check that this repository is connected to the service
          (${link(CONNECT_PAGE)}): the agent sees only connected repositories.`,
      ),
      startAnotherJob(run),
    ],
  };
}

function describeRefusedLink(run: FinishedRun, refused: string): Words {
  return {
    level: 'warning',
    title: 'No link to a pull request',
    happened: message`${nameJob(run)} completed. The service returned ${code(refused)}, which
      isn't a plain https link, so ${code('pr-link')} is empty.`,
    cost: describeCost(run),
    steps: [lookForJob(run)],
  };
}

function describeArchived(run: FinishedRun): Words {
  const { prLink } = run.state.job ?? {};
  return {
    level: 'warning',
    title: 'Documentation job archived',
    happened: message`${nameJob(run)} was archived by a person or by the service, so it won't
      continue.${prLink ? message` It opened ${link(prLink)}.` : []}`,
    cost: describeCost(run),
    steps: [...(prLink ? [] : [lookForJob(run)]), startAnotherJob(run)],
  };
}

function describeFailed(run: FinishedRun): Words {
  const { prLink } = run.state.job ?? {};
  const opened = prLink === undefined ? [] : message` after it opened ${link(prLink)}`;
  const another = isNamed(run)
    ? startAnotherJob(run)
    : step(
        canRerunStart(run)
          ? message`To start another job, which may cost credits, re-run the workflow job.`
          : message`To start another job, which may cost credits, start a new
              run${withoutReuse(run)}.`,
      );
  return {
    level: 'error',
    title: 'Documentation job failed',
    happened: message`${nameJob(run)} failed${opened}. The service doesn't say why.`,
    cost: joinSentences(
      describeCost(run),
      run.state.request?.kind === 'create' ? describeUsage(run) : [],
    ),
    steps: [
      prLink === undefined
        ? another
        : step(
            joinSentences(
              message`Review the pull request first: it may be incomplete.`,
              another.text,
            ),
          ),
      step(
        message`To send this job a follow-up, which may cost credits, set ${code('job-id')} and
          ${code('prompt')} in a new run.`,
        copyJobId(run),
      ),
    ],
  };
}

const STARTED_TITLES = {
  create: 'Documentation job started',
  'follow-up': 'Follow-up sent',
  attach: 'Documentation job continues',
} as const;

function describeStarted(run: FinishedRun): Words {
  return {
    level: 'notice',
    title: STARTED_TITLES[run.state.request?.kind ?? 'attach'],
    happened: isFollowUp(run)
      ? message`${nameJob(run)} got the follow-up. This run isn't waiting for it.`
      : message`${nameJob(run)} may still open a pull request. This run isn't waiting for it.`,
    cost: describeCost(run),
    steps: [
      canAttach(run)
        ? step(
            joinSentences(
              message`To wait for the job, start a new run with this ${code('job-id')},
                ${code('wait: true')}, and no prompt.`,
              describeUnawaitedRerun(run),
            ),
            copyJobId(run),
          )
        : checkForCommits(run),
    ],
  };
}

/** What to do if only the pull request can show whether a follow-up was carried out. */
function checkForCommits(run: FinishedRun): Step {
  return step(joinSentences(message`Check the pull request for new commits.`, describeRerun(run)));
}

/** Says what a re-run does, which won't wait either. */
function describeUnawaitedRerun(run: FinishedRun): Message {
  if (isNamed(run) && !isFollowUp(run)) {
    return message`A re-run doesn't wait either.`;
  }
  return isRerunFree(run)
    ? message`A re-run doesn't wait either. It starts another paid job only if this one failed or is
        gone.`
    : describeRerun(run);
}

function describeTimeout(run: FinishedRun): Words {
  const { state, elapsedMs } = run;
  const { job, pollFailure } = state;
  const waiting = getWaitSteps(run);
  const elapsed = formatDuration(elapsedMs);
  const base = {
    level: 'error',
    title: 'Timed out waiting for the documentation job',
    cost: describeCost(run),
  } as const;
  if (job === undefined || pollFailure !== undefined) {
    return {
      ...base,
      happened: message`${describeLastSeen(run)} The job may still open a pull request.`,
      steps: [
        ...waiting,
        step(
          message`If polls keep failing, check the service's status page and the runner's
            network.`,
        ),
      ],
    };
  }
  if (isFinalStatus(job.status)) {
    return {
      ...base,
      title: 'Timed out waiting for the follow-up',
      happened: message`${nameJob(run)} was ${code(job.status)} before the follow-up, and still
        is after ${elapsed}. The agent never appeared to start on the follow-up.`,
      steps: [checkForCommits(run)],
    };
  }
  return {
    ...base,
    happened: message`${nameJob(run)} is still ${code(job.status)} after ${elapsed}. It may still
      open a pull request.`,
    steps: [
      ...waiting,
      step(message`If jobs often take this long, raise ${code('timeout-minutes')}.`),
    ],
  };
}

/** Says when the job was last read, and what polls have returned since then. */
function describeLastSeen(run: FinishedRun): Message {
  const { job, pollFailure = 'no response', seenMs } = run.state;
  return job === undefined || seenMs === undefined
    ? message`The service didn't return the status of agent job
        ${code(getJobId(run.state) ?? '')} (${pollFailure}).`
    : message`${nameJob(run)} was ${code(job.status)} ${formatDuration(seenMs)} into the run.
        Every poll since then has failed (${pollFailure}).`;
}

/** Why a job was lost; `internal` after an error in this action. */
type LossReason = ReadFailure | 'internal';

function describeLost(outcome: LostOutcome, run: FinishedRun): Words {
  const { detail } = outcome;
  const reason: LossReason = outcome.reason ?? 'internal';
  const isUnknownJob = reason === 'not-found' && isNamed(run) && run.state.job === undefined;
  if (isUnknownJob) {
    return {
      level: 'error',
      title: 'Documentation job not found',
      happened: message`${nameJob(run)} was not found in this project (${detail}).`,
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
    happened: message`${describeLoss(reason, detail, run)} It may still open a pull request.`,
    cost: describeCost(run),
    steps: reason === 'not-found' ? replaceMissingJob(run) : getLossSteps(reason, run),
  };
}

function describeLoss(reason: LossReason, detail: string, run: FinishedRun): Message {
  switch (reason) {
    case 'internal':
      return message`This action failed (${detail}) while waiting for agent job
        ${code(getJobId(run.state) ?? '')}.`;
    case 'unreadable':
      return message`${nameJob(run)} can't be read: the responses aren't records of this job
        (${detail}).`;
    case 'refused':
    case 'not-found':
      return message`${nameJob(run)} can't be read (${detail}).`;
  }
}

/** What to do about a job that the service can't find anymore. */
function replaceMissingJob(run: FinishedRun): Step[] {
  const look = message`Look for a new pull request in the documentation repository.`;
  if (isNamed(run)) {
    return [step(look), startAnotherJob(run)];
  }
  if (!isRerunFree(run)) {
    const another = message`If there is none, start a new run${withoutReuse(run)}, which starts
      another paid job.`;
    return [step(joinSentences(look, another, describeRerun(run)))];
  }
  const timeoutMs = run.inputs?.timeoutMs ?? 0;
  return [
    step(
      timeoutMs > MISSING_JOB_TIMEOUT_MS
        ? message`${look} If there is none, re-run: the re-run waits for this job, or starts
            another paid job if the service can't find this one for a minute.`
        : message`${look} If there is none, start a new run with ${code('reuse: never')}, which
            starts another paid job.`,
    ),
  ];
}

/** What to do about a job that can't be read: what to check, then how to wait. */
function getLossSteps(reason: Exclude<LossReason, 'not-found'>, run: FinishedRun): Step[] {
  const [first, ...others] = getWaitSteps(run);
  const check = explainLoss(reason);
  return first === undefined
    ? [step(check), lookForJob(run)]
    : [step(joinSentences(check, first.text), first.input), ...others, lookForJob(run)];
}

function explainLoss(reason: Exclude<LossReason, 'not-found'>): Message {
  switch (reason) {
    case 'refused':
      return message`Check that the key is valid and may read jobs, and that ${code('project-id')}
        and ${code('base-url')} are right.`;
    case 'unreadable':
      return message`Check ${code('base-url')}, and the firewall and the proxy between the runner
        and the service.`;
    case 'internal':
      return message`Report this as a bug in this action.`;
  }
}

function describeDryRun(outcome: DryRunOutcome, run: FinishedRun): Words {
  if (outcome.keyCheck === 'unchecked') {
    return {
      level: 'warning',
      title: 'key not checked',
      happened: message`The inputs are valid, but the key couldn't be checked
        (${outcome.detail ?? ''}).`,
      cost: NOTHING_SPENT,
      steps: [
        step(
          message`Re-run later. If this repeats, check ${code('base-url')} and the service's status
            page.`,
        ),
      ],
    };
  }
  return {
    level: 'none',
    title: 'no problem found',
    happened: joinSentences(describeKey(outcome), describeRealRun(outcome, run)),
    cost: NOTHING_SPENT,
    steps: [],
  };
}

function describeKey({ keyCheck, awaited }: DryRunOutcome): Message {
  if (keyCheck === 'may-read') {
    return message`The inputs are valid, and the key can read the job.`;
  }
  return awaited === undefined
    ? message`The inputs are valid, and the key can start jobs. Only a real run shows whether the
        project id is right and whether any credits are left.`
    : message`The inputs are valid, and the key can send the follow-up. Only a real run shows
        whether any credits are left.`;
}

/** Says what a real run would do. */
function describeRealRun({ awaited }: DryRunOutcome, run: FinishedRun): Message {
  const { earlierJob, wouldSkip } = run.state;
  if (awaited !== undefined) {
    const first = isFollowUp(run) ? message`send the follow-up and ` : [];
    const { id, status } = awaited;
    return message`A real run would ${first}wait for job ${code(id)}, now ${code(status)}.`;
  }
  if (earlierJob?.kind === 'starting') {
    return message`A real run would wait for another step or run that may be starting the job.`;
  }
  return wouldSkip
    ? message`A real run would be skipped, because no changed file matches ${code('paths')}.`
    : joinSentences(message`A real run would start a new job.`, explainSecondJob(earlierJob) ?? []);
}

function describeSkipped({ previousTag, files }: SkippedOutcome): Words {
  return {
    level: 'notice',
    title: 'Documentation job skipped',
    happened: message`None of the files that changed since ${code(previousTag)} match
      ${code('paths')} (changed files: ${String(files)}).`,
    cost: NOTHING_SPENT,
    steps: [],
  };
}

function describeCanceled(outcome: CancelledOutcome, run: FinishedRun): Words {
  const { stage, job } = run.state;
  if (run.inputs?.dryRun === true) {
    return {
      level: 'none',
      title: 'canceled',
      happened: message`The step was canceled.`,
      cost: NOTHING_SPENT,
      steps: [step(message`A re-run repeats the dry run.`)],
    };
  }
  if (stage === 'unconfirmed') {
    return {
      ...describeUnknownEffect(run, outcome),
      level: 'none',
      title: `Canceled, ${isFollowUp(run) ? 'follow-up' : 'job'} not confirmed`,
      happened: message`The step was canceled while it waited for the
        response.${quoteExcerpt(outcome.excerpt)}`,
    };
  }
  const isUnsent = getJobId(run.state) === undefined || (isFollowUp(run) && job === undefined);
  if (isUnsent) {
    return {
      level: 'none',
      title: `Canceled, ${isFollowUp(run) ? 'follow-up not sent' : 'no job started'}`,
      happened: message`The step was canceled.`,
      cost: NOTHING_SPENT,
      steps: describeUnsentRerun(run),
    };
  }
  return {
    level: 'none',
    title: 'Canceled, job may continue',
    happened: message`The step was canceled. ${nameJob(run)} can't be stopped, and may still open
      a pull request.`,
    cost: describeCost(run),
    steps: getWaitSteps(run),
  };
}

function describeUnknownStart(outcome: StartUnknownOutcome, run: FinishedRun): Words {
  const isBug = outcome.code === 'internal';
  const { detail, excerpt } = outcome;
  const what = isFollowUp(run) ? 'follow-up' : 'job';
  const effect = describeUnknownEffect(run, outcome);
  return {
    ...effect,
    title: isBug
      ? `Error in this action, ${what} not confirmed`
      : `${isFollowUp(run) ? 'Follow-up' : 'Job'} not confirmed`,
    happened: isBug
      ? message`This action failed after it sent the request (${detail}).`
      : message`The request was sent, but its result is unknown (${detail}). To avoid a second
          ${what}, the action did not retry.${quoteExcerpt(excerpt)}`,
    steps: [...effect.steps, ...(isBug ? [step(explainLoss('internal'))] : [])],
  };
}

/** What to do about a request that may have had an effect. */
function describeUnknownEffect(
  run: FinishedRun,
  { namesJob }: Pick<StartUnknownOutcome, 'namesJob'>,
): Pick<Words, 'level' | 'cost' | 'steps'> {
  if (isFollowUp(run)) {
    return {
      level: 'error',
      cost: message`The job may have received the follow-up, which may cost credits.`,
      steps: [checkForCommits(run)],
    };
  }
  const named = step(
    message`The response names an id. If it is a job's, wait for that job: start a new run with this
      ${code('job-id')} and no prompt.`,
  );
  const look = lookForJob(run);
  return {
    level: 'error',
    cost: message`A job may have been started, which may cost credits.`,
    steps: [
      ...(namesJob === true ? [named] : []),
      step(
        message`Don't re-run yet. ${look.text} If you find anything, a job was started, so don't
          re-run.`,
      ),
      step(
        canRerunStart(run)
          ? message`If nothing shows up within half an hour, re-run this workflow job, which starts
              a job and may cost credits.`
          : message`If nothing shows up within half an hour, start a new
              run${withoutReuse(run)}, which starts a job and may cost credits.`,
      ),
    ],
  };
}

function describeStartedElsewhere(attempt: RecordedAttempt, run: FinishedRun): Words {
  const look = lookForJob(run);
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
    steps: attempt.isSameAttempt
      ? [
          step(message`${look.text} If you find anything, a job was started, so don't re-run.`),
          step(
            message`If nothing shows up within half an hour, re-run this workflow job, which starts
              a job and may cost credits.`,
          ),
        ]
      : [
          step(
            message`${look.text} If you find anything, a job was started, so don't re-run the
              workflow job that was about to start it.`,
          ),
          step(
            message`If nothing shows up within half an hour, re-run that workflow job, or start a
              new run with ${code('reuse: never')}. Both start a job, which may cost credits.`,
          ),
        ],
  };
}

/** Says what a re-run does after a run that sent nothing. */
function describeUnsentRerun(run: FinishedRun): Step[] {
  if (run.state.claim.kind === 'left-open') {
    return [];
  }
  if (!canRerunStart(run)) {
    return [step(STOPPED_RERUN)];
  }
  return [
    step(
      isFollowUp(run)
        ? message`A re-run sends the follow-up, which may cost credits.`
        : message`A re-run starts the job, which may cost credits.`,
    ),
  ];
}

/** Says what remains of a claim that couldn't be released. */
function describeUnreleased({ state, inputs }: FinishedRun): Step[] {
  const { claim } = state;
  if (claim.kind !== 'left-open') {
    return [];
  }
  const others =
    inputs?.reuse === 'release'
      ? message` Other runs for this release may stop without starting a job;
          ${code('reuse: never')} in a new run starts one anyway.`
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
