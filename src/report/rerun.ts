import { isFinalStatus } from '../service/job.ts';
import { GONE_AFTER_MS, RIVAL_TIMEOUT_MS } from '../state/limits.ts';
import { getEffect, type LostOutcome } from '../state/outcome.ts';
import { type ClaimState, getJobId, mayBeSecondJob } from '../state/run-state.ts';
import { formatDuration } from '../text/duration.ts';
import { type Message, message } from '../text/message.ts';
import { anotherJob, atCost, atNoCost } from './cost.ts';
import { isAboutCommit } from './earlier-job.ts';
import { type Facts, isDryRun, isFollowUp, isNamed, isRehearsal } from './facts.ts';

/**
 * Says what a re-run of the workflow job does, as far as this run can know: what other runs do
 * meanwhile is not known. A sentence for a table, or to follow "Re-run:". A property compares it
 * with what the next attempt does.
 */
export function describeRerun(facts: Facts): Message {
  const { inputs, outcome } = facts;
  if (inputs === undefined || outcome?.code === 'invalid-input') {
    return message`checks the inputs again. Only secrets and variables can have changed. If all are
      valid, it does what they say, which may cost credits.`;
  }
  if (isDryRun(facts)) {
    return message`repeats the dry run.`;
  }
  const text = describeComparison(facts) ?? describeNextAttempt(facts);
  return isRehearsal(facts) && maySend(facts)
    ? message`${text} With a live key, jobs cost credits.`
    : text;
}

/** True if a re-run may send a prompt. */
function maySend(facts: Facts): boolean {
  const { outcome } = facts;
  const isOnlyRead = isNamed(facts) && !isFollowUp(facts);
  const stops = describeStop(facts) !== undefined || outcome?.code === 'changes-unknown';
  return !isOnlyRead && !stops;
}

function describeNextAttempt(facts: Facts): Message {
  const { state, outcome } = facts;
  if (isFollowUp(facts)) {
    return getEffect(state, outcome) === 'none'
      ? message`tries to send the follow-up${atCost(facts)}.`
      : message`sends the follow-up again${atCost(facts)}.`;
  }
  if (isNamed(facts)) {
    return describeNamed(facts);
  }
  if (getJobId(state) === undefined) {
    return describeWithoutJob(facts);
  }
  return state.claim.kind === 'saved' ? describeRecorded(facts) : describeUnrecorded(facts);
}

/** What changed, or what couldn't be read of it, has stopped this run. */
function describeComparison(facts: Facts): Message | undefined {
  const { state, outcome } = facts;
  const start = isFollowUp(facts) ? message`sends the follow-up` : message`starts a job`;
  if (state.skip !== undefined) {
    const ifFailing = stopsWithoutChanges(facts) ? [] : message`, or if only the comparison fails`;
    return message`compares again, and ${start}${atCost(facts)}, if that finds
      changes${ifFailing}.`;
  }
  if (outcome?.code !== 'changes-unknown') {
    return undefined;
  }
  if (outcome.cause === 'gone') {
    return message`stops again, because it compares the same commits.`;
  }
  const lacksPermission = outcome.cause === 'no-contents' || outcome.cause === 'no-actions';
  return lacksPermission
    ? message`stops again, as long as {github-token} can't read what changed.`
    : message`reads the changes again, and ${start}${atCost(facts)}, only if that works.`;
}

/** True if a run stops when it can't find where the changes begin. */
export function stopsWithoutChanges({ inputs }: Facts): boolean {
  return inputs?.changesSince !== undefined && inputs.tag === undefined;
}

/** True if the run hasn't compared yet, and a re-run may find nothing to do. */
function mayBeSkipped({ state, inputs }: Facts): boolean {
  const decides = inputs?.includeChanges === true && inputs.tag === undefined;
  return state.changes === undefined && (decides || inputs?.paths !== undefined);
}

/** The inputs name the job. */
function describeNamed(facts: Facts): Message {
  const { outcome } = facts;
  if (outcome?.result === 'lost' && outcome.reason === 'not-found') {
    return message`looks for this job again${atNoCost(facts)}.`;
  }
  if (outcome?.result === 'lost') {
    return message`tries to read this job again${atNoCost(facts)}.`;
  }
  const verb = isPolled(facts) ? message`waits for` : message`reads`;
  return message`${verb} this job again${atNoCost(facts)}.`;
}

/** True if a run for the job polls it until it ends. */
function isPolled({ state: { job }, inputs }: Facts): boolean {
  const isOver = job !== undefined && isFinalStatus(job.status);
  return !isOver && inputs?.wait !== false;
}

/** The job is on record. */
function describeRecorded(facts: Facts): Message {
  const { state, outcome } = facts;
  const { job, earlierJob } = state;
  const another = anotherJob(facts);
  const isUnread = earlierJob?.kind === 'unreadable';
  const isRefused = isUnread && earlierJob.problem !== 'unavailable';
  const isMissing = outcome?.result === 'lost' && outcome.reason === 'not-found';
  const ifFailing = isUnread && !isRefused ? IF_API_FAILS : [];
  if (job?.status === 'failed') {
    return message`starts ${another}, unless a commit status names a newer one.${ifFailing}`;
  }
  if (isRefused) {
    const ifFound = isMissing ? message` and the service finds the job` : [];
    return message`starts ${another}, unless it can read the commit status of this one${ifFound}.`;
  }
  if (outcome?.result === 'lost') {
    return describeLostJob(outcome, facts, ifFailing);
  }
  const verb = isPolled(facts) ? message`waits for this job` : message`reports this job`;
  const orNewer = isUnread ? message` or a newer one` : [];
  return message`${verb}${orNewer}${atNoCost(facts)} if {prompt} is the same and the job hasn't
    failed or disappeared. Otherwise, it starts ${another}.${ifFailing}`;
}

/** The job is on record, but couldn't be read. */
function describeLostJob({ reason }: LostOutcome, facts: Facts, ifFailing: Message): Message {
  return reason === 'not-found'
    ? message`starts ${anotherJob(facts)} if the service still can't find this one for
        ${formatDuration(GONE_AFTER_MS)}. Otherwise, it waits for this
        job${atNoCost(facts)}.${ifFailing}`
    : message`tries to read this job${atNoCost(facts)} if {prompt} is the same. It starts
        ${anotherJob(facts)} only if the service says that this one has failed or
        disappeared.${ifFailing}`;
}

/** The job is known, but not on record. */
function describeUnrecorded(facts: Facts): Message {
  const { state, inputs } = facts;
  const { claim, job, earlierJob } = state;
  const another = anotherJob(facts);
  if (inputs?.reuse === 'never') {
    return message`starts ${another}, because {reuse} is {never}.`;
  }
  if (isFull(claim)) {
    return STOPS_AT_FULL_COMMIT;
  }
  if (job?.status === 'failed') {
    return message`starts ${another}, unless a commit status names one that hasn't
      failed.${orStop(facts)}`;
  }
  if (claim.kind === 'no-access') {
    return message`starts ${another}, because this one couldn't be saved as a commit status.`;
  }
  if (claim.kind === 'refused') {
    return message`starts ${another}, unless a commit status names one that hasn't failed. This one
      couldn't be saved.${orStop(facts)}`;
  }
  if (earlierJob?.kind === 'unreadable') {
    return message`may start ${another}, because this one couldn't be saved as a commit
      status.${ifUnreadable(facts)}`;
  }
  const verb = isPolled(facts) ? message`waits for` : message`reports`;
  return message`may start ${another}, because GitHub didn't confirm that this one was saved as a
    commit status. If it was, a re-run ${verb} it${atNoCost(facts)}.`;
}

const STOPS_AT_FULL_COMMIT = message`starts no job, because the commit can't take more statuses. It
  waits for a job that one of them names, or stops.`;

/** GitHub takes 1,000 statuses for a commit and context. */
function isFull(claim: ClaimState): boolean {
  return 'httpStatus' in claim && claim.httpStatus === 422 && !isAboutCommit(claim.detail);
}

/** No job is known, but one may exist. */
function describeWithoutJob(facts: Facts): Message {
  const { state, inputs, outcome } = facts;
  const cost = atCost(facts);
  if (state.rival?.isOtherRun === true && state.rival.isUnknown) {
    return message`stops again, unless the other run has recorded more by then.`;
  }
  if (state.rival?.isOtherRun === true) {
    return message`looks for that job again, for up to ${formatDuration(RIVAL_TIMEOUT_MS)}. It
      starts a job${cost}, only if the other run records that it has started none.`;
  }
  const stops = describeStop(facts);
  if (stops !== undefined) {
    return stops;
  }
  const mayExist = getEffect(state, outcome) !== 'none';
  if (inputs?.reuse === 'never') {
    return mayExist
      ? message`starts a job${cost}, even if this run has started one.`
      : message`tries to start the job${cost}.`;
  }
  if (outcome?.code === 'reuse-unknown') {
    return message`looks for an earlier job, and waits for it or starts
      one${cost}.${orStop(facts)}`;
  }
  const start = mayExist ? message`starts a job` : message`tries to start a job`;
  const ifUnknown =
    inputs?.reuse === 'release' ? message` It stops if another run may have started one.` : [];
  return message`${start}${cost}, unless a commit status names one that hasn't
    failed.${warnOfUnrecorded(facts)}${ifUnchanged(facts)}${ifUnknown}${orStop(facts)}`;
}

/** Says whose job a re-run may not find. */
function warnOfUnrecorded({ state, outcome }: Facts): Message {
  if (getEffect(state, outcome) !== 'none') {
    return message` If this run has started a job, that is a second one.`;
  }
  return mayBeSecondJob(state.earlierJob) || state.rival !== undefined
    ? message` If an earlier attempt or another step has started a job, that is a second one.`
    : [];
}

function ifUnchanged(facts: Facts): Message {
  if (!mayBeSkipped(facts)) {
    return [];
  }
  return facts.inputs?.paths === undefined
    ? message` It starts none if nothing has changed.`
    : message` It starts none if no changed file matches {paths}.`;
}

/** Says why a re-run stops, if it does so for the same reason as this run. */
function describeStop(facts: Facts): Message | undefined {
  const { state, inputs, outcome } = facts;
  const { claim } = state;
  if (outcome?.code !== 'reuse-unknown') {
    return undefined;
  }
  if (isFull(claim)) {
    return STOPS_AT_FULL_COMMIT;
  }
  const isRejected = 'httpStatus' in claim && claim.httpStatus === 401;
  const lacksAccess = claim.kind === 'refused' || claim.kind === 'no-access' || isRejected;
  return lacksAccess && (isRejected || inputs?.reuse === 'release')
    ? message`stops again, as long as {github-token} can't read and write the record. After that, it
        waits for an earlier job or starts one${atCost(facts)}.`
    : undefined;
}

/** Says that a re-run may stop, because this run couldn't read the record. */
function ifUnreadable({ state: { earlierJob } }: Facts): Message {
  const isUnread = earlierJob?.kind === 'unreadable' && earlierJob.problem === 'unavailable';
  return isUnread ? IF_API_FAILS : [];
}

/** Says that a re-run may stop, because GitHub didn't take or list the claim of this run. */
function orStop(facts: Facts): Message {
  const { claim } = facts.state;
  const mayStop =
    ifUnreadable(facts).length > 0 ||
    claim.kind === 'unavailable' ||
    claim.kind === 'left-open' ||
    (claim.kind === 'refused' && facts.inputs?.reuse === 'release');
  return mayStop ? IF_API_FAILS : [];
}

const IF_API_FAILS = message` While GitHub's API fails, a re-run stops without starting one.`;
