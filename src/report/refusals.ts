import type { InputErrorKind } from '../errors.ts';
import type { NotStarted } from '../service/retry-policy.ts';
import type { NotStartedOutcome } from '../state/outcome.ts';
import { joinSentences, type Message, message } from '../text/message.ts';
import { type Facts, isFollowUp } from './facts.ts';

/**
 * Why a run has started nothing, and what a re-run does if nothing is on record. `fixed`: it works
 * once a secret or account is corrected. The page about errors has the same order.
 */
export const REFUSALS = {
  'invalid-input': { title: 'Invalid inputs', rerun: 'stops' },
  'wrong-secret': { title: 'Secret or variable missing or wrong', rerun: 'fixed' },
  'without-secrets': { title: 'No secrets in this run', rerun: 'stops' },
  'unwritable-output': { title: "Can't write outputs", rerun: 'tries' },
  'connect-failed': { title: 'Service unreachable', rerun: 'tries' },
  'tls-failed': { title: 'Certificate not trusted', rerun: 'stops' },
  'proxy-refused': { title: 'No connection through the proxy', rerun: 'tries' },
  'bad-request': { title: 'Request rejected', rerun: 'stops' },
  unauthorized: { title: 'API key rejected', rerun: 'fixed' },
  plan: { title: 'Plan without API access', rerun: 'fixed' },
  forbidden: { title: 'Request refused', rerun: 'fixed' },
  'no-credits': { title: 'Not enough credits', rerun: 'fixed' },
  'not-found': { title: 'Project not found', rerun: 'stops' },
  'job-not-found': { title: 'Project or job not found', rerun: 'stops' },
  'rate-limited': { title: 'Rate limit reached', rerun: 'tries' },
  redirected: { title: 'Service moved', rerun: 'stops' },
  blocked: { title: 'Request blocked', rerun: 'fixed' },
  'record-access': { title: "Can't record the job", rerun: 'stops' },
  'record-setting': { title: "Can't record the job", rerun: 'stops' },
  'record-full': { title: 'Too many commit statuses', rerun: 'stops' },
  'record-unavailable': { title: 'GitHub unavailable', rerun: 'tries' },
  'changes-gone': { title: "Can't find where the changes begin", rerun: 'stops' },
  'changes-access': { title: "Can't read what changed", rerun: 'stops' },
  'changes-setting': { title: "Can't read what changed", rerun: 'stops' },
  'changes-unavailable': { title: "Can't read what changed", rerun: 'tries' },
  'pr-access': { title: "Can't read the last pull request", rerun: 'stops' },
  'pr-setting': { title: "Can't check the last pull request", rerun: 'stops' },
  'pr-unavailable': { title: "Can't read the last job or pull request", rerun: 'tries' },
  'timed-out': { title: 'No time left', rerun: 'tries' },
  internal: { title: 'Error in this action', rerun: 'tries' },
} as const satisfies Record<string, { title: string; rerun: 'tries' | 'fixed' | 'stops' }>;

type Key = keyof typeof REFUSALS;

const CORRECT_INPUTS = message`Correct the inputs.`;
const CORRECT_SETTING = message`Correct that in the step or on the runner.`;
export const REPORT_BUG = message`Report this as a bug.`;
export const REPLACE_KEY = message`Create an admin key, and update the secret.`;

/** What to correct before the next attempt or run. Nothing if only time helps. */
const FIXES: Readonly<Partial<Record<Key, Message>>> = {
  'invalid-input': CORRECT_INPUTS,
  'wrong-secret': message`Correct the secret or variable.`,
  'without-secrets': message`Skip the step in such runs.`,
  'unwritable-output': message`Check the runner's disk space and permissions.`,
  'connect-failed': message`Check {base-url}, the network, and the proxy.`,
  'tls-failed': message`Check {base-url}. Behind a proxy, set {NODE_EXTRA_CA_CERTS}.`,
  'proxy-refused': message`Check {HTTPS_PROXY} ({http://user:password@host:port}), and what the
    proxy allows.`,
  'bad-request': CORRECT_INPUTS,
  unauthorized: REPLACE_KEY,
  plan: message`Upgrade to a Pro or Enterprise plan.`,
  forbidden: message`Check that the key has the scopes {read} and {write}, and allows the
    runner's address.`,
  'no-credits': message`Add credits, or wait until they reset.`,
  'not-found': message`Copy {project-id} from the API keys page.`,
  'job-not-found': message`Check {project-id} and {job-id}.`,
  redirected: message`Trust the new address? Set {base-url} to it.`,
  blocked: message`A firewall or proxy answered: check it, and {base-url}.`,
  'record-access': message`Give the workflow job or token {statuses: write}.`,
  'record-setting': CORRECT_SETTING,
  'record-full': message`Use another commit.`,
  'changes-gone': message`Set {changes-since} to the last documented tag or commit.`,
  'changes-access': message`Give the workflow job {contents: read} and {statuses: write}.`,
  'changes-setting': CORRECT_SETTING,
  'pr-access': message`Add {pull-requests: read} for this repository, or {pr-token} for another.`,
  'pr-setting': message`Remove {skip-while-pr-open}.`,
  'timed-out': message`Raise {timeout-minutes}.`,
  internal: REPORT_BUG,
};

export const RERUN_LATER = message`Re-run later.`;
export const STILL_FAILING = message`Still failing?`;

/** Returns what to do about a refusal if nothing is on record. */
export function describeFix(key: Key): Message {
  const { rerun } = REFUSALS[key];
  const fix = FIXES[key];
  if (fix === undefined) {
    return RERUN_LATER;
  }
  const then = rerun === 'stops' ? message`Then start a new run.` : message`Then re-run.`;
  return rerun === 'tries' ? message`Re-run. ${STILL_FAILING} ${fix}` : joinSentences(fix, then);
}

const INPUT_PROBLEMS = {
  workflow: 'invalid-input',
  secret: 'wrong-secret',
  'no-secrets': 'without-secrets',
} as const satisfies Record<InputErrorKind, Key>;

/** Returns why a run has started nothing, as the key of its row. */
export function findRefusal(outcome: NotStartedOutcome, facts: Facts): Key {
  switch (outcome.code) {
    case 'invalid-input':
      return INPUT_PROBLEMS[outcome.kind];
    case 'record-failed':
      return `record-${outcome.cause}`;
    case 'changes-unknown':
      // Only writes find GitHub full.
      return outcome.cause === 'full' ? 'changes-unavailable' : `changes-${outcome.cause}`;
    case 'pr-unknown':
      return outcome.cause === 'full' ? 'pr-unavailable' : `pr-${outcome.cause}`;
    default:
      return findServiceProblem(outcome, facts);
  }
}

function findServiceProblem({ code, kind }: NotStarted, facts: Facts) {
  if (kind === 'plan' || kind === 'blocked') {
    return kind;
  }
  return code === 'not-found' && isFollowUp(facts) ? 'job-not-found' : code;
}
