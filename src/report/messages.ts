import { getErrorCode } from '../outcome.ts';
import { isFinalStatus } from '../service/job.ts';
import { lacksCredits, type StartUnknown } from '../service/retry-policy.ts';
import { getJobId } from '../state.ts';
import { code, link, type Message, message } from '../text/message.ts';
import { CHECK_DISK, ENDINGS, type Words } from './endings.ts';
import { type EndFacts, getEndFacts, type RunResult } from './facts.ts';

/** An outcome in words, and the level of its annotation. */
export interface OutcomeMessage {
  readonly level: 'notice' | 'warning' | 'error' | 'none';
  readonly title: string;
  readonly text: Message;
  /** Steps for the reader, in order; or the problems of the inputs. */
  readonly next: readonly Message[];
}

type EndingName = keyof typeof ENDINGS;

/**
 * Exceptions to the default levels, which are `notice` if the step passes and `error` if it fails.
 */
const LEVELS: Partial<Record<EndingName, OutcomeMessage['level']>> = {
  'link-refused': 'warning',
  archived: 'warning',
  'may-start': 'none',
  'may-read': 'none',
  unchecked: 'warning',
  cancelled: 'none',
};

/** A shorter failure is not the reason for a timeout. */
const LONG_UNREAD_MS = 60_000;

/**
 * Describes an outcome for annotation, log, and summary. `outputProblem` says why the outputs
 * couldn't be written.
 */
export function describeOutcome(result: RunResult, outputProblem?: string): OutcomeMessage {
  const { outcome, github } = result;
  const facts = getEndFacts(result);
  const name = getName(result, facts);
  const [ending, text, ...steps] = addEffect(ENDINGS[name](facts), result, facts);
  const errorCode = getErrorCode(outcome);
  const cause = name === 'no-credits' ? 'what-it-costs' : errorCode;
  const section = facts.isOpen && !facts.isFollowUp ? 'did-a-job-start' : cause;
  const page = section && github.usagePage && `${github.usagePage}#${section}`;
  const details = page && steps.length > 0 ? message`Details: ${link(page)}` : [];
  const second = facts.mayBeSecond && facts.second ? facts.second : [];
  const next = [...steps, second, details].filter((step) => step.length > 0);
  const level = LEVELS[name] ?? (errorCode === undefined ? 'notice' : 'error');
  const title = facts.completeTitle(ending);
  if (outputProblem === undefined || errorCode === 'unwritable-output') {
    return { level, title, text, next };
  }
  const loss = message`The outputs couldn't be written (${outputProblem}), so later steps don't get
    them (${code('unwritable-output')}).`;
  const addition = level === 'error' ? '' : ', but the outputs were not written';
  return {
    level: 'error',
    title: `${title}${addition}`,
    text: message`${loss} ${text}`,
    next: [CHECK_DISK, ...next],
  };
}

function getName({ outcome, state }: RunResult, { isUnknownJob, unreadMs }: EndFacts): EndingName {
  switch (outcome.outcome) {
    case 'no-pull-request':
      return state.job?.prLinkRefused === true ? 'link-refused' : 'no-pull-request';
    case 'dry-run':
      return outcome.keyCheck;
    case 'timed-out':
      if (unreadMs >= LONG_UNREAD_MS || state.job === undefined) {
        return 'timed-out-unread';
      }
      return isFinalStatus(state.job.status) ? 'timed-out-unseen' : 'timed-out';
    case 'not-started':
      return 'httpStatus' in outcome ? getRefusalName(outcome) : outcome.code;
    case 'start-unknown':
      return 'attempt' in outcome ? 'start-elsewhere' : getRefusalName(outcome);
    case 'lost':
      return isUnknownJob ? 'job-not-found' : 'lost';
    default:
      return outcome.outcome;
  }
}

/** The response may say more than the error code. */
function getRefusalName({ code, httpStatus, detail, excerpt }: StartUnknown): EndingName {
  if (code !== 'start-unknown' && lacksCredits(detail, httpStatus)) {
    return 'no-credits';
  }
  if (httpStatus === 403 && /\bplans?\b/i.test(detail)) {
    return 'no-plan';
  }
  const isBlocked = excerpt !== undefined && /^(?:unauthorized|forbidden|not-found)$/.test(code);
  return isBlocked ? 'blocked' : code;
}

/** How to start the job if a re-run, with the same inputs, would fail again. */
const RETRIES: Readonly<Record<string, Message>> = {
  redirected: message`start a new run, with the new address as ${code('base-url')} if you trust it`,
  'bad-request': message`fix the problem and start a new run`,
};

/** Adds to the words what the request did, or may have done. */
function addEffect(
  [title, text, ...steps]: Words,
  { outcome, state }: RunResult,
  facts: EndFacts,
): Words {
  const {
    isFollowUp,
    job,
    cost,
    noEffect,
    waiting,
    places,
    rerun,
    excerpt,
    attempt,
    isOwnService,
  } = facts;
  if (facts.isOpen) {
    const effect = attempt.page
      ? message`That attempt may have started a job`
      : isFollowUp
        ? message`${job} may have received the follow-up`
        : message`A job may have been started`;
    const quoted = excerpt ? message` The response starts with ${code(excerpt)}.` : [];
    const named = excerpt
      ? message`If the response names a job, set ${code('job-id')} to its id, and leave out
        ${code('prompt')}.`
      : [];
    const found = message`If you find ${isOwnService ? 'either' : 'one'}, a job was started: don't
      re-run.`;
    const how = attempt.page
      ? 're-run the workflow job of that attempt'
      : RETRIES[getErrorCode(outcome) ?? ''];
    const startNew = message`If nothing shows up within half an hour,
      ${how ?? 're-run this workflow job'}${cost(', which costs credits')}.`;
    return [
      `${title}, ${isFollowUp ? 'follow-up' : 'job'} not confirmed`,
      message`${text} ${effect}${cost(', which may cost credits')}.${quoted}`,
      ...steps,
      ...(isFollowUp ? [rerun] : [named, ...places, found, startNew]),
    ];
  }
  const isUnsent = getJobId(state) === undefined || (isFollowUp && state.job === undefined);
  if (outcome.outcome === 'not-started' || (outcome.outcome === 'cancelled' && isUnsent)) {
    const end = isFollowUp ? 'follow-up not sent' : 'no job started';
    return [`${title}, ${end}`, message`${text} ${noEffect}`, ...steps];
  }
  if (outcome.outcome === 'cancelled') {
    const later = message`${job} can't be stopped${cost(', costs credits,')} and may still open a
      pull request.`;
    return [`${title}, job may continue`, message`${text} ${later}`, ...waiting];
  }
  return [title, text, ...steps];
}
