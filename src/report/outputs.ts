import type { PullRequest } from '../github/pull-request.ts';
import { getJobId } from '../state/run-state.ts';
import { getLinkName, mayBePullRequest, parsePullRequest } from '../text/link.ts';
import { joinSentences, link, replaceLink, toPlainText } from '../text/message.ts';
import { isRefName } from '../text/ref.ts';
import { toLine } from '../text/sanitize.ts';
import type { Facts, FinalFacts } from './facts.ts';
import { describeEnd } from './words.ts';

/** What a later step prints may be a command to the runner, or an option of a program. */
const WORD = /^(?!-)[\w.-]+$/;

/** Returns all outputs, by their names in action.yml. What isn't known, or not yet, is empty. */
export function getOutputs(facts: FinalFacts) {
  return {
    ...getJobOutputs(facts),
    ...getLastOutputs(facts, undefined),
    ...getChangesOutputs(facts),
    'job-result': facts.outcome.result,
    'error-code': facts.outcome.code ?? '',
  };
}

/** Returns the heading and what happened. The pull request has its short name. */
function getMessage(facts: FinalFacts): string {
  const { title, opened, happened, problems } = describeEnd(facts);
  const { prLink } = facts.state.job ?? {};
  const name = prLink === undefined ? '' : getLinkName(prLink, facts.github.serverUrl);
  const named = replaceLink(happened, prLink, link(name));
  const text = toPlainText(joinSentences(named, ...problems), facts.redact);
  const said = [opened === undefined ? '' : name, text].filter((part) => part !== '').join('. ');
  return said === '' ? title : `${title}: ${said}`;
}

/** Returns the outputs about the job, which are also written as soon as the job is known. */
export function getJobOutputs({ state, github }: Facts) {
  const { job, earlierJob, skip } = state;
  // Empty if the link is surely no pull request.
  const prLink = mayBePullRequest(job?.prLink, github.serverUrl) ? job.prLink : '';
  const { project = '', number = '' } = parsePullRequest(prLink);
  // A skipped run only knows the job that it leaves alone.
  const isEarlier = earlierJob?.kind === 'found' || (skip !== undefined && job !== undefined);
  return {
    status: job !== undefined && WORD.test(job.status) ? job.status : '',
    'pr-link': prLink,
    'job-id': getJobId(state) ?? '',
    'pr-number': number,
    'pr-repository': project,
    'source-repository': job?.repository ?? '',
    'source-ref': job?.ref ?? '',
    model: job?.model ?? '',
    'created-at': job?.createdAt ?? '',
    'archived-at': job?.archivedAt ?? '',
    reused: String(isEarlier),
    job: job?.json ?? '',
  };
}

/** The count is GitHub's, which lists fewer commits. Empty if the comparison couldn't be read. */
function getChangesOutputs({ state: { changes: reading }, redact }: Facts) {
  const { start, changes } = reading ?? {};
  const ref = start?.kind === 'known' ? redact(start.ref) : undefined;
  return {
    'changes-start': isRefName(ref) ? toLine(ref) : '',
    'changes-commits': String(changes?.total ?? ''),
  };
}

/** Returns the outputs that are known last, such as details of the pull request. */
export function getLastOutputs(facts: FinalFacts, pull: PullRequest | undefined) {
  return {
    message: toLine(getMessage(facts)),
    'elapsed-seconds': String(Math.round(facts.elapsedMs / 1000)),
    'pr-title': toLine(pull?.title),
    'pr-state': pull?.state ?? '',
    'pr-branch': isRefName(pull?.branch) ? toLine(pull?.branch) : '',
    'pr-changed-files': String(pull?.changedFiles ?? ''),
    'pr-additions': String(pull?.additions ?? ''),
    'pr-deletions': String(pull?.deletions ?? ''),
  };
}
