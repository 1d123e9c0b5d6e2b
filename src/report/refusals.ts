import { LAST_RUN } from '../inputs/changes-since.ts';
import { getRefusalReason } from '../service/retry-policy.ts';
import type {
  ChangesUnknownOutcome,
  NotStartedOutcome,
  RefusedOutcome,
  ReuseUnknownOutcome,
} from '../state/outcome.ts';
import { type Message, message } from '../text/message.ts';
import { isAboutAddress, isAboutCommit, isAboutSaml } from './earlier-job.ts';
import { type Facts, isFollowUp, isRehearsal } from './facts.ts';
import { KEYS_PAGE, USAGE_PAGE } from './pages.ts';

/** Why a run has started nothing, and what to do about it. */
export interface Refusal {
  /** The usual values of `error-code`, for the documentation. */
  readonly codes: string;
  readonly title: string;
  /** Followed by the detail in parentheses. */
  readonly happened: Message;
  readonly next: Message;
  /** A page of the service that helps. */
  readonly page?: string;
}

const THEN_RERUN = message`Then re-run, or start a new run if the workflow file has changed.`;

const UNREADABLE = message`An earlier job may exist, but its record on GitHub can't be read or
  written`;

const UNKNOWN_CHANGES = message`Couldn't find out where the changes begin`;

const UNREAD_CHANGES = message`Couldn't read what changed`;

/** All causes, in the order of the documentation, which is generated from this table. */
export const REFUSALS = {
  'invalid-input': {
    codes: 'invalid-input',
    title: 'Invalid inputs',
    happened: message`Some inputs are missing or invalid`,
    next: message`Correct the workflow file, or the values that you entered, and start a new run.`,
  },
  'without-secrets': {
    codes: 'invalid-input',
    title: 'No secrets in this run',
    happened: message`Some inputs are missing or invalid`,
    next: message`Skip the step in runs for Dependabot, and for pull requests from forks.`,
  },
  'invalid-secret': {
    codes: 'invalid-input',
    title: 'Invalid secret or variable',
    happened: message`Some inputs are missing or invalid`,
    next: message`Correct the secret or variable, and re-run. If the workflow file passes the wrong
      one, correct it, and start a new run.`,
  },
  'unwritable-output': {
    codes: 'unwritable-output',
    title: "Can't write outputs",
    happened: message`The outputs can't be written`,
    next: message`Check that the runner's disk isn't full, and that the GITHUB_OUTPUT file is
      writable. Then re-run.`,
  },
  'connect-failed': {
    codes: 'connect-failed',
    title: 'Service unreachable',
    happened: message`Couldn't connect to the service`,
    next: message`Check {base-url}, the runner's network and proxy, and the service's status page.
      ${THEN_RERUN}`,
  },
  'tls-failed': {
    codes: 'tls-failed',
    title: 'Connection not secure',
    happened: message`The connection to the service isn't secure`,
    next: message`Check {base-url}, and whether a proxy intercepts TLS. For the certificate
      authority of a proxy or a private service, set {NODE_EXTRA_CA_CERTS} to the path of its PEM
      file, in a new run.`,
  },
  'proxy-refused': {
    codes: 'proxy-refused',
    title: 'No connection through the proxy',
    happened: message`Couldn't connect to the service through the proxy`,
    next: message`Check {HTTPS_PROXY}, and that the proxy allows the host of {base-url}.
      ${THEN_RERUN}`,
  },
  'proxy-login': {
    codes: 'proxy-refused',
    title: 'Proxy login required',
    happened: message`The proxy requires a login`,
    next: message`Set {HTTPS_PROXY} with a login, such as {http://user:password@host:port}, from a
      secret, in a new run.`,
  },
  'bad-request': {
    codes: 'bad-request',
    title: 'Request rejected',
    happened: message`The service rejected the request`,
    next: message`Fix the reported problem, and start a new run. A re-run sends the same request
      again, unless a secret or variable has changed.`,
  },
  unauthorized: {
    codes: 'unauthorized',
    title: 'API key rejected',
    happened: message`The service rejected the API key`,
    next: message`The key may have expired. Create an admin key on the API keys page, update the
      secret, and re-run.`,
    page: KEYS_PAGE,
  },
  forbidden: {
    codes: 'forbidden',
    title: 'Request refused',
    happened: message`The service refused the request`,
    next: message`Fix what the message names. Otherwise, the key may lack the {write} scope, or an
      IP allowlist the runner. A key keeps its scopes: create another one on the API keys page,
      update the secret, and re-run.`,
    page: KEYS_PAGE,
  },
  plan: {
    codes: 'unauthorized, forbidden',
    title: 'Plan without API access',
    happened: message`The organization's plan doesn't include the API`,
    next: message`The API needs a Pro or Enterprise plan. Upgrade the plan, then re-run.`,
  },
  rehearsal: {
    codes: 'unauthorized, forbidden, no-credits',
    title: 'Refused with an emulator key',
    happened: message`A request with a key of the emulator was refused`,
    next: message`The emulator plays this answer: there is nothing to fix. At another address, set
      {base-url} to that of the emulator, or to go live, where jobs cost credits, {api-key} to a key
      of the service.`,
  },
  'no-credits': {
    codes: 'no-credits',
    title: 'Not enough credits',
    happened: message`The organization has too few credits left, or has reached a limit of its
      plan`,
    next: message`Add credits, turn on overages, upgrade the plan, or wait until the balance or
      limit resets. Then re-run.`,
    page: USAGE_PAGE,
  },
  'not-found': {
    codes: 'not-found',
    title: 'Project not found',
    happened: message`The service doesn't know this project`,
    next: message`Copy {project-id} from the API keys page, and check {base-url}. Then start a new
      run, or re-run if they come from variables.`,
    page: KEYS_PAGE,
  },
  'no-such-rehearsal': {
    codes: 'not-found',
    title: 'Project not found',
    happened: message`The emulator doesn't know this project or job`,
    next: message`Set {project-id}, or the variable that it comes from, to a project of the
      emulator, and start a new run.`,
  },
  'job-not-found': {
    codes: 'not-found',
    title: 'Project or job not found',
    happened: message`The service doesn't know this project or job`,
    next: message`Copy {project-id} from the API keys page, and {job-id} from the run that started
      the job. Check {base-url}. Then start a new run, or re-run if they come from variables.`,
    page: KEYS_PAGE,
  },
  'rate-limited': {
    codes: 'rate-limited',
    title: 'Rate limit reached',
    happened: message`The service is limiting requests`,
    next: message`Re-run later. The service allows 100 new jobs and follow-ups per project per hour,
      and may have other limits, which the message names.`,
  },
  'rate-limited-until': {
    codes: 'rate-limited',
    title: 'Rate limit reached',
    happened: message`The service is limiting requests`,
    next: message`Re-run after the time for which the service asks to wait.`,
  },
  redirected: {
    codes: 'redirected',
    title: 'Unexpected redirect',
    happened: message`The service returned a redirect, which this action never follows`,
    next: message`Check {base-url}, and start a new run with the right address.`,
  },
  moved: {
    codes: 'redirected',
    title: 'Service moved',
    happened: message`The service returned a redirect, which this action never follows`,
    next: message`If you trust the new address, start a new run with {base-url} set to its part
      before {/v2}.`,
  },
  blocked: {
    codes: 'bad-request, forbidden, not-found',
    title: 'Request blocked',
    happened: message`Something other than the service answered`,
    next: message`Check {base-url}, and the firewall and the proxy between the runner and the
      service. ${THEN_RERUN}`,
  },
  retired: {
    codes: 'bad-request',
    title: 'Service changed',
    happened: message`The service no longer takes this request`,
    next: message`Update this action, and start a new run.`,
  },
  'too-large': {
    codes: 'bad-request',
    title: 'Request too large',
    happened: message`The service, or a proxy on the way, doesn't take a request of this size`,
    next: message`Shorten {prompt}, or the facts about changes with {paths}, in a new run.`,
  },
  'no-permission': {
    codes: 'reuse-unknown',
    title: 'No permission to find earlier jobs',
    happened: UNREADABLE,
    next: message`Give the workflow job, or a token of your own, {statuses: write}, and start a new
      run: a re-run keeps the old permissions.`,
  },
  'no-tag-permission': {
    codes: 'reuse-unknown',
    title: 'No permission to read the tag',
    happened: message`An earlier job may exist, but the tag of the release can't be read`,
    next: message`Give the workflow job {contents: read}, and start a new run: a re-run keeps the
      old permissions.`,
  },
  'not-allowed': {
    codes: 'reuse-unknown',
    title: 'Address not allowed',
    happened: UNREADABLE,
    next: message`Add the runner to the IP allow list of the organization, then re-run.`,
  },
  'no-single-sign-on': {
    codes: 'reuse-unknown',
    title: 'Single sign-on required',
    happened: UNREADABLE,
    next: message`Authorize {github-token} for SAML single sign-on, then re-run.`,
  },
  'wrong-token': {
    codes: 'reuse-unknown',
    title: 'GitHub token rejected',
    happened: UNREADABLE,
    next: message`Update the secret of {github-token}, and re-run. Or correct the step in a new
      run.`,
  },
  'no-access': {
    codes: 'reuse-unknown',
    title: 'No access to earlier jobs',
    happened: UNREADABLE,
    next: message`Correct this setting of the step or the runner, and start a new run.`,
  },
  'too-many-statuses': {
    codes: 'reuse-unknown',
    title: 'Too many commit statuses',
    happened: message`An earlier job may exist, but this commit can't take more statuses`,
    next: message`Start a new run with {reuse: never}, or for another commit.`,
  },
  'no-record': {
    codes: 'reuse-unknown',
    title: 'GitHub unavailable',
    happened: UNREADABLE,
    next: message`Re-run once GitHub's API works again and the runner can reach it.`,
  },
  'no-contents': {
    codes: 'changes-unknown',
    title: 'No permission to read what changed',
    happened: UNREAD_CHANGES,
    next: message`Give the workflow job {contents: read}, and start a new run: a re-run keeps the
      old permissions.`,
  },
  'no-actions': {
    codes: 'changes-unknown',
    title: 'No permission to find the last run',
    happened: UNKNOWN_CHANGES,
    next: message`Give the workflow job {actions: read}, and start a new run: a re-run keeps the old
      permissions.`,
  },
  gone: {
    codes: 'changes-unknown',
    title: 'Start of the changes unknown',
    happened: UNKNOWN_CHANGES,
    next: message`Start a new run with {changes-since} set to a tag, branch, or commit.`,
  },
  'last-run-gone': {
    codes: 'changes-unknown',
    title: "Can't compare with the last run",
    happened: UNKNOWN_CHANGES,
    next: message`Set {changes-since} to a tag, branch, or commit in the workflow file. After a run
      has passed, set it back.`,
  },
  'changes-not-allowed': {
    codes: 'changes-unknown',
    title: 'Address not allowed',
    happened: UNREAD_CHANGES,
    next: message`Add the runner to the IP allow list of the organization, then re-run.`,
  },
  'no-changes-access': {
    codes: 'changes-unknown',
    title: 'No access to what changed',
    happened: UNREAD_CHANGES,
    next: message`Update the secret of {github-token}, and re-run. Or correct the step, or set
      {changes-since} to a tag, branch, or commit, in a new run.`,
  },
  'unread-changes': {
    codes: 'changes-unknown',
    title: 'Changes not readable',
    happened: UNREAD_CHANGES,
    next: message`Re-run once GitHub's API works again and the runner can reach it.`,
  },
  internal: {
    codes: 'internal',
    title: 'Error in this action',
    happened: message`This action failed`,
    next: message`Re-run, and report this as a bug in this action.`,
  },
} as const satisfies Record<string, Refusal>;

/** Returns why a run has started nothing. The response may say more than the error code. */
export function findRefusal(outcome: NotStartedOutcome, facts: Facts): Refusal {
  switch (outcome.code) {
    case 'invalid-input': {
      const secret = facts.github.isWithoutSecrets ? 'without-secrets' : 'invalid-secret';
      return REFUSALS[isAboutSecrets(outcome.problems) ? secret : 'invalid-input'];
    }
    case 'reuse-unknown':
      return REFUSALS[findRecordProblem(outcome)];
    case 'changes-unknown':
      return REFUSALS[findChangesProblem(outcome, facts)];
    default:
      return REFUSALS[findServiceProblem(outcome, facts)];
  }
}

const CHANGES_PROBLEMS = {
  gone: 'gone',
  'no-contents': 'no-contents',
  'no-actions': 'no-actions',
  'no-access': 'no-changes-access',
  unavailable: 'unread-changes',
} as const satisfies Record<ChangesUnknownOutcome['cause'], keyof typeof REFUSALS>;

/** Scheduled runs follow the workflow file, and a run for another event is not their last one. */
function findChangesProblem({ cause, detail }: ChangesUnknownOutcome, { inputs }: Facts) {
  if (isAboutAddress(detail)) {
    return 'changes-not-allowed';
  }
  return cause === 'gone' && inputs?.changesSince === LAST_RUN
    ? 'last-run-gone'
    : CHANGES_PROBLEMS[cause];
}

/** True if all problems are about inputs that usually come from a secret or a variable. */
function isAboutSecrets(problems: readonly Message[]): boolean {
  const names = problems.map(([name]) => name?.value ?? '');
  return names.every((name) => name === 'api-key' || name === 'project-id');
}

function findRecordProblem({ failure, detail }: ReuseUnknownOutcome) {
  const { kind, httpStatus } = failure;
  if (kind === 'refused') {
    const permission = failure.isAboutTag === true ? 'no-tag-permission' : 'no-permission';
    if (isAboutAddress(detail)) {
      return 'not-allowed';
    }
    return isAboutSaml(detail) ? 'no-single-sign-on' : permission;
  }
  if (kind === 'no-access') {
    return 'no-access';
  }
  if (httpStatus === 401) {
    return 'wrong-token';
  }
  if (httpStatus === 422) {
    return isAboutCommit(detail) ? 'no-access' : 'too-many-statuses';
  }
  return 'no-record';
}

function findServiceProblem(outcome: RefusedOutcome, facts: Facts) {
  const { code, detail, httpStatus } = outcome;
  if (isRehearsal(facts) && ABOUT_KEYS.includes(code)) {
    return 'rehearsal';
  }
  if (isRehearsal(facts) && code === 'not-found') {
    return 'no-such-rehearsal';
  }
  if (code === 'no-credits') {
    return code;
  }
  if (getRefusalReason(detail, httpStatus) === 'plan') {
    return 'plan';
  }
  // A job can be gone, too.
  if (httpStatus === 410 && !isFollowUp(facts)) {
    return 'retired';
  }
  const isJob = code === 'not-found' && isFollowUp(facts);
  return findCause(outcome) ?? (isJob ? 'job-not-found' : code);
}

/** Returns what the response or the proxy says beyond the error code. */
function findCause({
  code,
  detail,
  httpStatus = 0,
  isPage,
  proxyStatus,
  retryAfterMs,
}: RefusedOutcome) {
  if (httpStatus === 413) {
    return 'too-large';
  }
  if (isPage === true && httpStatus >= 400 && httpStatus !== 429) {
    return 'blocked';
  }
  if (proxyStatus === 407) {
    return 'proxy-login';
  }
  if (code === 'redirected' && /https:\/\/\S+\/v2\b/.test(detail)) {
    return 'moved';
  }
  return code === 'rate-limited' && retryAfterMs !== undefined ? 'rate-limited-until' : undefined;
}

/** What the service says of a key, and so does the emulator of its own keys. */
const ABOUT_KEYS: readonly NotStartedOutcome['code'][] = [
  'unauthorized',
  'forbidden',
  'no-credits',
];
