import { getRefusalReason } from '../service/retry-policy.ts';
import type { NotStartedOutcome, RefusedOutcome } from '../state/outcome.ts';
import { type Message, message } from '../text/message.ts';
import { type Facts, isFollowUp } from './facts.ts';

/** Why a run has started nothing. What was said about it is shown beside this. */
export interface Refusal {
  /** The value of `error-code`. The page about errors has the long story. */
  readonly code: NotStartedOutcome['code'];
  readonly title: string;
  /** What to do. */
  readonly next: Message;
  /** What a re-run does if nothing is on record: only a `fixed` cause lets it work. */
  readonly rerun: 'tries' | 'fixed' | 'stops';
}

const RERUN_LATER = message`Re-run later.`;
const NEW_RUN = message`Correct it in a new run.`;
const CORRECT_SETTING = message`Correct that in the step or on the runner, then start a new run.`;

/** In the order of the page about errors, which is generated from this table. */
export const REFUSALS = {
  'invalid-input': {
    code: 'invalid-input',
    title: 'Invalid inputs',
    next: NEW_RUN,
    rerun: 'stops',
  },
  'missing-secret': {
    code: 'invalid-input',
    title: 'Secret or variable missing',
    next: message`Set what is missing, then re-run.`,
    rerun: 'fixed',
  },
  'without-secrets': {
    code: 'invalid-input',
    title: 'No secrets in this run',
    next: message`Skip the step in such runs.`,
    rerun: 'stops',
  },
  'unwritable-output': {
    code: 'unwritable-output',
    title: "Can't write outputs",
    next: message`Check the runner's disk space and permissions, then re-run.`,
    rerun: 'tries',
  },
  'connect-failed': {
    code: 'connect-failed',
    title: 'Service unreachable',
    next: message`Check {base-url}, the network, and the proxy. Then re-run.`,
    rerun: 'tries',
  },
  'tls-failed': {
    code: 'tls-failed',
    title: 'Certificate not trusted',
    next: message`Check {base-url}. Behind a proxy, set {NODE_EXTRA_CA_CERTS} in a new run.`,
    rerun: 'stops',
  },
  'proxy-refused': {
    code: 'proxy-refused',
    title: 'No connection through the proxy',
    next: message`Check {HTTPS_PROXY} ({http://user:password@host:port}), and what the proxy allows.
      Then re-run.`,
    rerun: 'tries',
  },
  'bad-request': { code: 'bad-request', title: 'Request rejected', next: NEW_RUN, rerun: 'stops' },
  unauthorized: {
    code: 'unauthorized',
    title: 'API key rejected',
    next: message`Create an admin key, update the secret, and re-run.`,
    rerun: 'fixed',
  },
  plan: {
    code: 'unauthorized',
    title: 'Plan without API access',
    next: message`Upgrade to a Pro or Enterprise plan, then re-run.`,
    rerun: 'fixed',
  },
  forbidden: {
    code: 'forbidden',
    title: 'Request refused',
    next: message`Check that the key has the scope {write}, and allows this runner's address. Then
      re-run.`,
    rerun: 'fixed',
  },
  'no-credits': {
    code: 'no-credits',
    title: 'Not enough credits',
    next: message`Add credits, or wait until they reset. Then re-run.`,
    rerun: 'fixed',
  },
  'not-found': {
    code: 'not-found',
    title: 'Project not found',
    next: message`Copy {project-id} from the API keys page, and start a new run.`,
    rerun: 'stops',
  },
  'job-not-found': {
    code: 'not-found',
    title: 'Project or job not found',
    next: message`Check {project-id} and {job-id}, and start a new run.`,
    rerun: 'stops',
  },
  'rate-limited': {
    code: 'rate-limited',
    title: 'Rate limit reached',
    next: RERUN_LATER,
    rerun: 'tries',
  },
  redirected: {
    code: 'redirected',
    title: 'Service moved',
    next: message`Trust the new address? Set {base-url} to it in a new run.`,
    rerun: 'stops',
  },
  blocked: {
    code: 'bad-request',
    title: 'Request blocked',
    next: message`A firewall or proxy answered: check it, and {base-url}. Then re-run.`,
    rerun: 'fixed',
  },
  'record-access': {
    code: 'record-failed',
    title: "Can't record the job",
    next: message`Give the workflow job, or your own token, {statuses: write}. Then start a new run.`,
    rerun: 'stops',
  },
  'record-setting': {
    code: 'record-failed',
    title: "Can't record the job",
    next: CORRECT_SETTING,
    rerun: 'stops',
  },
  'record-full': {
    code: 'record-failed',
    title: 'Too many commit statuses',
    next: message`Start a new run for another commit.`,
    rerun: 'stops',
  },
  'record-unavailable': {
    code: 'record-failed',
    title: 'GitHub unavailable',
    next: RERUN_LATER,
    rerun: 'tries',
  },
  'changes-gone': {
    code: 'changes-unknown',
    title: "Can't find where the changes begin",
    next: message`Set {changes-since} to a tag, branch, or commit in a new run.`,
    rerun: 'stops',
  },
  'changes-access': {
    code: 'changes-unknown',
    title: "Can't read what changed",
    next: message`Give the workflow job {contents: read} and {statuses: write}, and start a new
      run.`,
    rerun: 'stops',
  },
  'changes-setting': {
    code: 'changes-unknown',
    title: "Can't read what changed",
    next: CORRECT_SETTING,
    rerun: 'stops',
  },
  'changes-full': {
    code: 'changes-unknown',
    title: "Can't read what changed",
    next: RERUN_LATER,
    rerun: 'tries',
  },
  'changes-unavailable': {
    code: 'changes-unknown',
    title: "Can't read what changed",
    next: RERUN_LATER,
    rerun: 'tries',
  },
  'pr-access': {
    code: 'pr-unknown',
    title: "Can't read the last pull request",
    next: message`In a new run, set {pr-token} to a token that can read it, or remove
      {skip-while-pr-open}.`,
    rerun: 'stops',
  },
  'pr-unavailable': {
    code: 'pr-unknown',
    title: "Can't read the last job or pull request",
    next: RERUN_LATER,
    rerun: 'tries',
  },
  'timed-out': {
    code: 'timed-out',
    title: 'No time left',
    next: message`Re-run, or raise {timeout-minutes} in a new run.`,
    rerun: 'tries',
  },
  internal: {
    code: 'internal',
    title: 'Error in this action',
    next: message`Re-run, and report this as a bug.`,
    rerun: 'tries',
  },
} as const satisfies Record<string, Refusal>;

/** Returns why a run has started nothing. */
export function findRefusal(outcome: NotStartedOutcome, facts: Facts): Refusal {
  switch (outcome.code) {
    case 'invalid-input':
      return REFUSALS[findInputProblem(outcome.problems, facts)];
    case 'record-failed':
      return REFUSALS[`record-${outcome.cause}`];
    case 'changes-unknown':
      return REFUSALS[`changes-${outcome.cause}`];
    case 'pr-unknown':
      return REFUSALS[outcome.cause === 'unavailable' ? 'pr-unavailable' : 'pr-access'];
    default:
      return REFUSALS[findServiceProblem(outcome, facts)];
  }
}

/** Tells problems that a secret or a variable causes from others: a re-run has new ones. */
function findInputProblem(problems: readonly Message[], { github }: Facts) {
  const names = problems.map(([name]) => name?.value ?? '');
  if (!names.every((name) => name === 'api-key' || name === 'project-id')) {
    return 'invalid-input';
  }
  return github.isWithoutSecrets ? 'without-secrets' : 'missing-secret';
}

function findServiceProblem(outcome: RefusedOutcome, facts: Facts) {
  const { code, detail, httpStatus = 0, isPage } = outcome;
  if (getRefusalReason(detail, httpStatus) === 'plan') {
    return 'plan';
  }
  if (isPage === true && httpStatus >= 400 && httpStatus !== 429) {
    return 'blocked';
  }
  return code === 'not-found' && isFollowUp(facts) ? 'job-not-found' : code;
}
