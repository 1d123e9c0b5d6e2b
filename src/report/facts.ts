import type { GitHubContext } from '../github/context.ts';
import { INPUT_DEFAULTS } from '../inputs/defaults.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Outcome } from '../outcome.ts';
import { isFinalStatus } from '../service/job.ts';
import { getJobId, type RunState } from '../state.ts';
import { formatDuration } from '../text/duration.ts';
import { getAddress, isLoopback } from '../text/link.ts';
import { code, link, type Message, message } from '../text/message.ts';
import type { Redact } from '../text/redact.ts';
import { explainEarlierJob } from './notes.ts';

/** A run: its state, its inputs, and its host. */
export interface Knowledge {
  readonly state: RunState;
  /** Undefined if the inputs could not be read. */
  readonly inputs: Pick<Inputs, 'baseUrl' | 'reuse' | 'dryRun'> | undefined;
  readonly github: Pick<GitHubContext, 'serverUrl' | 'usagePage'>;
  readonly redact: Redact;
}

/** How a run ended. */
export interface RunResult extends Knowledge {
  readonly outcome: Outcome;
  /** Since the start of the action. */
  readonly elapsedMs: number;
}

/** The facts for messages about a finished run. */
export type EndFacts = ReturnType<typeof getEndFacts>;

const OWN_ADDRESS = getAddress(new URL(INPUT_DEFAULTS['base-url']));
const USAGE_PAGE = 'https://app.mintlify.com/settings/organization/usage';
const KEYS_PAGE = 'https://app.mintlify.com/settings/organization/api-keys';

/**
 * Returns the facts and phrases that several messages share. `outcome` is known only at the end.
 */
export function getFacts({ state, inputs, outcome }: Knowledge & { readonly outcome?: Outcome }) {
  const { request, record, earlierJob, job } = state;
  const jobId = getJobId(state);
  const isUnconfirmed = state.stage === 'unconfirmed';
  const address = inputs === undefined ? '' : getAddress(inputs.baseUrl);
  /** True at the default address. Only there does the action know the pages of the service. */
  const isOwnService = address === OWN_ADDRESS;
  const isRehearsal = inputs !== undefined && isLoopback(inputs.baseUrl);
  const isFollowUp = request?.kind === 'follow-up';
  /** True if the inputs name the job, so that a re-run doesn't start another one. */
  const isNamed = isFollowUp || (request?.kind === 'attach' && earlierJob === undefined);
  const isMissing =
    outcome?.outcome === 'lost' && 'reason' in outcome && outcome.reason === 'not-found';
  /** After a follow-up, a run that only waits could mistake the old final status for the result. */
  const canAttach = !isFollowUp || (job !== undefined && !isFinalStatus(job.status));
  const isRerunFree = !isFollowUp && (isNamed || (record.kind === 'saved' && !isMissing));
  /** True if `wait` is `false`, also in a re-run. */
  const isUnawaited = outcome?.outcome === 'started';
  const [, warning] = explainEarlierJob(earlierJob ?? { kind: 'none' });
  const mayBeSecond = (jobId !== undefined || isUnconfirmed) && warning !== undefined;

  /** Returns words about money, or nothing in a rehearsal. */
  const cost = (words: string): Message => (isRehearsal ? [] : [{ kind: 'text', value: words }]);
  const charges = isOwnService
    ? message`Every charge is in the activity log at ${link(USAGE_PAGE)}.`
    : [];
  const rerun = describeRerun();
  const waitInput = isUnawaited ? message` and ${code('wait: true')},` : [];
  const wait = message`To only wait for the job in a new run, set ${code('job-id')}${waitInput} and
    leave out ${code('prompt')}.`;

  function describeRerun(): Message {
    if (isRerunFree) {
      const second = isNamed
        ? []
        : message`, or starts another ${cost('paid ')}job if this one fails`;
      return message`A re-run ${isUnawaited ? 'only checks' : 'waits for'} this job${second}.`;
    }
    if (isFollowUp) {
      return message`A re-run sends the follow-up again${cost(', which may cost credits again')}:
        check the pull request for new commits first.`;
    }
    if (record.kind === 'saved') {
      return message`A re-run looks for the job for a minute. If the job is still missing, the
        re-run starts another one${cost(', which costs credits again')}.`;
    }
    // A canceled run may not know whether the id was written.
    const verb =
      record.kind === 'starting' || record.kind === 'unavailable' ? 'may start' : 'starts';
    const why =
      'detail' in record
        ? message`, because the record couldn't be written (${record.detail})`
        : [];
    const remedy = message` To avoid this in later runs, give the workflow job
      ${code('statuses: write')}.`;
    return message`A re-run ${verb} another
      ${cost('paid ')}job${why}.${record.kind === 'refused' ? remedy : []}`;
  }

  function describeOwnCost(): Message {
    if (request?.kind === 'create') {
      const page = isOwnService ? message` (${link(USAGE_PAGE)})` : [];
      return message`${cost('credits for a new job')}${page}`;
    }
    if (isFollowUp && (job !== undefined || isUnconfirmed)) {
      return cost('possibly credits for the follow-up');
    }
    return earlierJob?.kind === 'found'
      ? cost('none in this step: the attempt that started the job paid for it')
      : cost('none: this run started no job');
  }

  const notRerun = isRerunFree ? message` (not a re-run)` : [];
  const withoutReuse = inputs?.reuse === 'release' ? message` with ${code('reuse: never')}` : [];

  return {
    address,
    isCreate: request?.kind === 'create',
    isOwnService,
    isFollowUp,
    /** True if only the inputs suggest that the job exists. */
    isUnknownJob: isNamed && isMissing && job === undefined,
    mayBeSecond,
    cost,
    charges,
    rerun,
    /** The ways to wait for a job that is still running. */
    waiting: canAttach ? (isRerunFree ? [rerun, wait] : [wait, rerun]) : [rerun],
    /** The cost of this run, for a table. Empty in a rehearsal. */
    ownCost: describeOwnCost(),
    job: jobId === undefined ? message`The agent job` : message`Agent job ${code(jobId)}`,
    keysPage: message`the API keys page${isOwnService ? message` (${link(KEYS_PAGE)})` : []}`,
    places: [message`Look for a new pull request in the documentation repository.`, charges],
    /** Says that the run had no effect. */
    noEffect: message`This run
      ${isFollowUp ? 'sent no follow-up' : 'started no job'}${cost(' and spent nothing')}.`,
    /** Set if an earlier attempt may have started a job, too. */
    second:
      warning &&
      message`${warning} Both may open a pull request${cost(' and cost credits')}: keep one pull
        request and close the other.`,
    /** Says how to start a new job after this one has ended. */
    startNew: (how: Message): Message =>
      message`To start a new job${cost(', which costs credits again')},
        ${isNamed ? message`set ${code('prompt')} without ${code('job-id')}` : how}.`,
    /**
     * How to replace an archived job. A re-run would wait for it, and so would a new run for the
     * same release.
     */
    newRun: message`start a new run${notRerun}${withoutReuse}`,
    /** Marks the title of a rehearsal, and of a run that may have started a second job. */
    completeTitle: (title: string): string =>
      `${isRehearsal ? 'Rehearsal: ' : ''}${title}${mayBeSecond ? ' (possible duplicate)' : ''}`,
  };
}

/**
 * Returns the facts about a finished run, with the details of its outcome. Missing details are
 * empty.
 */
export function getEndFacts(result: RunResult) {
  const { outcome, state, elapsedMs } = result;
  const { job, pollFailure, stage } = state;
  const facts = getFacts(result);
  const seen = 'awaited' in outcome ? outcome.awaited : undefined;
  const first = facts.isFollowUp ? message`send the follow-up and ` : [];
  return {
    ...facts,
    problems: [],
    previousTag: '',
    files: 0,
    /** True if the token lacks the permission to read or write the record. */
    isRefused: state.record.kind === 'refused',
    attempt: { attempt: 0, page: '' },
    /** Why the job can't be read. */
    reason: 'bug' as const,
    detail: pollFailure?.detail ?? '',
    excerpt: undefined,
    ...outcome,
    /** True if the request may have had an effect that can't be confirmed. */
    isOpen: stage === 'unconfirmed' || outcome.outcome === 'start-unknown',
    prLink: job?.prLink ?? '',
    /** What a real run would do with the job that a dry run has read. */
    realRun: seen
      ? message` A real run would ${first}wait for job ${code(seen.id)}, now ${code(seen.status)}.`
      : [],
    status: job === undefined ? message`unknown` : code(job.status),
    elapsed: formatDuration(elapsedMs),
    /** How long polls have failed, in milliseconds. */
    unreadMs: pollFailure === undefined ? 0 : Math.max(1_000, elapsedMs - pollFailure.sinceMs),
  };
}
