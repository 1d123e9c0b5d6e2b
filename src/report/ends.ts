import { type Message, message } from '../text/message.ts';

/** What to do that depends on the facts. `describeRemedy` has the words. */
export type Remedy =
  | 'attach'
  | 'wait'
  | 'extend'
  | 'look'
  | 'check'
  | 'await-run'
  | 'new-job'
  | 'earlier-job'
  | 'price';

/** What a person needs to know about an ending. */
export interface End {
  readonly title: string;
  /** How it is shown. `none`: in the log and the summary only. */
  readonly level: 'notice' | 'warning' | 'error' | 'none';
  /** What happened, if the title doesn't say it. The facts are shown beside it. */
  readonly happened: Message;
  readonly remedies: readonly Remedy[];
  /** Returns what to do, with the words of its remedies. */
  readonly fillNext: (describe: (remedy: Remedy) => Message) => Message;
}

/** Returns a function for the rows of a level, each followed by the template of what to do. */
const toRow =
  (level: End['level']) =>
  (title: string, happened: Message = []) =>
  (strings: TemplateStringsArray, ...remedies: readonly Remedy[]): End => ({
    title,
    level,
    happened,
    remedies,
    fillNext: (describe) => message(strings, ...remedies.map(describe)),
  });

const quiet = toRow('none');
const notice = toRow('notice');
const warning = toRow('warning');
const error = toRow('error');

const NO_PULL_REQUEST = message`There was nothing to update, or it was published directly.`;
const WONT_CONTINUE = message`It won't continue.`;
const MAY_CONTINUE = message`The job may continue.`;
/** What a dry run has found out. */
export const KEY_ACCEPTED = message`The service accepts the key. Only a real run shows whether the
  key can start jobs, the project id is right, and credits are left.`;
/** What a request without an answer may have done. */
export const MAY_HAVE_STARTED = message`A job may have started.`;
const TIMED_OUT = 'Timed out waiting for the documentation job';
const LOST = 'Lost track of the documentation job';
const NO_RECORD = "Can't record the job";
const NO_CHANGES = "Can't read what changed";

/**
 * All ends, in the order of the page about errors. A key is a section of that page, and what tells
 * the end apart from others in it. A follow-up has the row of its key with `/follow-up`, if any.
 */
export const ENDS = {
  'pull-request-opened': notice('Documentation pull request opened')``,
  'pull-request-opened/here': warning('Documentation pull request opened')`Merging it may start the
    next job. To prevent that, exclude the documentation with the input {paths}.`,
  'no-pull-request': notice('No documentation pull request', NO_PULL_REQUEST)`Expected one? If the
    docs repository has no new commit, connect this repository, or improve the prompt.
    ${'new-job'}`,
  'no-pull-request/other-link': warning('No link to a pull request')`Check the docs repository
    for its pull request.`,
  archived: warning('Documentation job archived', WONT_CONTINUE)`${'check'}`,
  started: notice('Documentation job started')`${'attach'}`,
  'started/follow-up': notice('Follow-up sent')`${'attach'}`,
  'started/unread': warning("Couldn't read the documentation job", MAY_CONTINUE)`${'look'}`,
  'dry-run': quiet('No problem found')``,
  'dry-run/unchecked': warning('Key not checked')`Re-run later.`,
  skipped: notice('Documentation job skipped')``,
  'skipped/first-run': warning('Documentation job skipped')`${'earlier-job'}`,
  'skipped/taken-back': warning('Documentation job skipped')``,
  'skipped/waiting': warning('Documentation job skipped')`Merge or close it, and a later
    run picks up the changes.`,
  'skipped/follow-up': notice('Follow-up skipped')``,
  'job-failed': error('Documentation job failed', message`The service doesn't say why.`)`Still need
    a job? ${'new-job'}`,
  'timed-out': error(TIMED_OUT)`${'extend'}`,
  'timed-out/unread': error(TIMED_OUT)`${'wait'}`,
  'timed-out/unseen': error('Timed out waiting for the follow-up')`${'check'}`,
  'timed-out/unsent': error(
    'No time left',
  )`Re-run. Still failing? Raise the input {timeout-minutes}.`,
  cancelled: quiet('Canceled, no job started')``,
  'cancelled/behind': quiet('Canceled while waiting for another attempt')`Still need a job?
    ${'await-run'}`,
  'cancelled/waiting': warning('Canceled, job may continue')`${'wait'}`,
  'cancelled/sending': warning('Canceled, job not confirmed', MAY_HAVE_STARTED)`${'check'}`,
  'cancelled/sending/follow-up': warning('Canceled, follow-up not confirmed')`${'check'}`,
  'start-unknown': error('Job not confirmed', MAY_HAVE_STARTED)`${'check'}`,
  'start-unknown/follow-up': error('Follow-up not confirmed')`${'check'}`,
  'start-unknown/before': error('Earlier job not confirmed')`${'check'}`,
  'start-unknown/elsewhere': error('Another run or step may be starting this job')`${'await-run'}
    Still failing? ${'check'}`,
  'job-lost': error(LOST)`${'look'} Still not found, and no pull request in the docs repository?
    ${'new-job'}`,
  'job-lost/missing': error('Documentation job not found')`Correct {job-id}, {project-id}, or
    {base-url} in a new run.`,
  'job-lost/key': error('API key rejected while waiting', MAY_CONTINUE)`Create an admin key, and
    update the secret. ${'wait'}`,
  'job-lost/unread': error("Can't read the documentation job", MAY_CONTINUE)`Check the API key and
    the proxy. ${'wait'}`,
  'invalid-input/workflow': error('Invalid inputs')`Once corrected, start a new run.`,
  'invalid-input/secret': error('Secret or variable missing or wrong')`Once corrected, re-run.`,
  'invalid-input/no-secrets': error('No secrets in this run')``,
  'unwritable-output': error("Can't write outputs")`Check disk space and permissions on the runner.
    Then re-run.`,
  'connect-failed': error('Service unreachable')`Re-run. Still failing? Check {base-url}, the
    network, and the proxy.`,
  'tls-failed': error('Certificate not trusted')`Check {base-url}. Behind a proxy, set
    {NODE_EXTRA_CA_CERTS}. Then start a new run.`,
  'proxy-refused': error('No connection through the proxy')`Check {HTTPS_PROXY}
    ({http://user:password@host:port}), and what the proxy allows. Then re-run.`,
  'bad-request': error('Request rejected')`Once corrected, start a new run.`,
  unauthorized: error('API key rejected')`Create an admin key, and update the secret. Then re-run.`,
  plan: error("Plan doesn't include API access")`Upgrade to a Pro or Enterprise plan. Then re-run.`,
  forbidden: error('Request refused')`Check that the key has the scope {write}, and allows the
    runner's address. Then re-run.`,
  'no-credits': error('Not enough credits')`Add credits, or wait until they reset. Then re-run.`,
  'not-found': error('Project not found')`Copy {project-id} from the API keys page. Then re-run if
    it is in a variable, or start a new run.`,
  'not-found/follow-up': error('Project or job not found')`Check {project-id} and {job-id}. Then
    start a new run.`,
  'rate-limited': error('Rate limit reached')`Re-run later.`,
  redirected: error('Service redirected the request')`If the service has announced this address,
    set {base-url}, and start a new run. If not, check the proxy.`,
  blocked: error('Request blocked')`A firewall or proxy answered: check it, and {base-url}. Then
    re-run.`,
  outdated: error('Outdated version of this action')`Update it to the newest version. Then start a
    new run.`,
  'github-token': error('GitHub token rejected')`Renew {github-token} or {pr-token} in its secret.
    Then re-run.`,
  'github-organization': error('Organization refuses access')`Authorize the token for the
    organization, or ask an owner to allow the runner's address. Then re-run.`,
  'record-failed/access': error(NO_RECORD)`Give the workflow job or token {statuses: write} and
    {contents: read} (on Gitea, {contents: write}). Then start a new run.`,
  'record-failed/setting': error(NO_RECORD)`Correct the step or the runner. Then start a new
    run.`,
  'record-failed/full': error('Too many commit statuses')`Start a new run on a newer commit.`,
  'record-failed/unavailable': error('GitHub unavailable')`Re-run later.`,
  'changes-unknown/gone': error("Can't find where the changes begin")`Set {changes-since} to an
    earlier tag or commit in one new run ${'price'}.`,
  'changes-unknown/deleted': error('Tag not found')`If it exists now, re-run. If it was deleted,
    there is nothing to do.`,
  'changes-unknown/no-record': error('No earlier job on record')`Documented up to here? Re-run to
    count from here. If not, run once with {changes-since} set to the last job's tag or commit
    ${'price'}, then re-run.`,
  'changes-unknown/access': error(NO_CHANGES)`Give the workflow job {contents: read} and {statuses:
    write}. Then start a new run.`,
  'changes-unknown/setting': error(NO_CHANGES)`Correct the step or the runner. Then start a new
    run.`,
  'changes-unknown/host': error(NO_CHANGES)`Start a new run with {changes-since} set to the tag or
    commit of the last job: {last job} never works here.`,
  'changes-unknown/unavailable': error(NO_CHANGES)`Re-run later.`,
  'pr-unknown/access': error("Can't read the last pull request")`Is it in this repository? Add
    {pull-requests: read}. In another? Set {pr-token}. Then start a new run.`,
  'pr-unknown/setting': error("Can't check the last pull request")`Remove {skip-while-pr-open}. Then
    start a new run.`,
  'pr-unknown/unavailable': error("Can't read the last job or pull request")`Re-run later.`,
  internal: error('Error in this action')`Re-run. Still failing? Report this as a bug.`,
  'internal/waiting': error(LOST, MAY_CONTINUE)`Report this as a bug. ${'wait'}`,
} as const satisfies Record<string, End>;

export type EndKey = keyof typeof ENDS;

/** Narrows a text to the key of an end. */
export function isEndKey(key: string): key is EndKey {
  return Object.hasOwn(ENDS, key);
}

/** Returns the section of the page about errors that an end belongs to. */
export function getSection(key: EndKey): string {
  return key.split('/')[0] ?? key;
}
