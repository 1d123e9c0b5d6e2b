import type { GitHubFailure } from '../github/api.ts';
import { lacksCredits } from '../service/retry-policy.ts';
import type { NotStartedOutcome, RefusedOutcome, ReuseUnknownOutcome } from '../state/outcome.ts';
import { code, type Message, message } from '../text/message.ts';
import { isAboutSaml } from './notes.ts';
import {
  canRerunStart,
  NOTHING_SPENT,
  nameKeysPage,
  quoteExcerpt,
  STOPPED_RERUN,
  type Step,
  step,
  type Words,
} from './phrases.ts';
import { type FinishedRun, isFollowUp, isRehearsal } from './run-info.ts';

type Cause = Pick<Words, 'title' | 'happened' | 'steps'>;

/** Describes a run that definitely had no effect: it sent nothing, or its request was refused. */
export function describeNotStarted(outcome: NotStartedOutcome, run: FinishedRun): Words {
  const followUp = isRefusal(outcome) ? 'follow-up refused' : 'follow-up not sent';
  const what = isFollowUp(run) ? followUp : 'no job started';
  const cause = describeCause(outcome, run);
  const isTold = outcome.code === 'reuse-unknown' || run.state.claim.kind === 'left-open';
  const mayStop = !isTold && !canRerunStart(run);
  return {
    ...cause,
    steps: [...cause.steps, ...(mayStop ? [step(STOPPED_RERUN)] : [])],
    level: 'error',
    title: run.inputs?.dryRun === true ? cause.title : `${cause.title}, ${what}`,
    cost: NOTHING_SPENT,
    ...(outcome.code === 'invalid-input' ? { problems: outcome.problems } : {}),
  };
}

/** True if the service, or something on the way to it, has answered. */
function isRefusal(outcome: NotStartedOutcome): boolean {
  return (
    outcome.code !== 'invalid-input' &&
    outcome.code !== 'reuse-unknown' &&
    outcome.httpStatus !== undefined
  );
}

function describeCause(outcome: NotStartedOutcome, run: FinishedRun): Cause {
  switch (outcome.code) {
    case 'invalid-input':
      return {
        title: 'Invalid inputs',
        happened: message`Some inputs are missing or invalid.`,
        steps: [
          step(
            message`Fix the workflow file or the values you entered and start a new run, or fix the
              secret or variable and re-run.`,
          ),
        ],
      };
    case 'reuse-unknown':
      return describeUnreadableRecord(outcome);
    default:
      return describeRefusal(outcome, run);
  }
}

function describeUnreadableRecord({ detail, failure }: ReuseUnknownOutcome): Cause {
  return {
    title: "Can't check for earlier jobs",
    happened: message`An earlier job may exist, but its record on GitHub can't be read or written
      (${detail}).`,
    steps: [
      step(askForAccess(failure, detail)),
      step(
        message`If an earlier attempt or run shows a job id, start a new run with that
          ${code('job-id')} and no prompt: it waits for that job.`,
      ),
    ],
  };
}

/** Says how a run can read and write the record, or do without it. */
function askForAccess({ kind, httpStatus }: GitHubFailure, detail: string): Message {
  const withoutRecord = message`If there is no earlier job, start a new run with
    ${code('reuse: never')}, which starts a job and may cost credits.`;
  if (kind === 'refused') {
    return isAboutSaml(detail)
      ? message`Authorize ${code('github-token')} for SAML single sign-on, then re-run.`
      : message`Give the workflow job ${code('statuses: write')}, and start a new run: a re-run
          keeps the old permissions.`;
  }
  if (kind === 'no-access' || httpStatus === 401) {
    return message`Correct ${code('github-token')}, and start a new run.`;
  }
  return httpStatus === 422
    ? message`This commit can't take more statuses. ${withoutRecord}`
    : message`Re-run later. ${withoutRecord}`;
}

/** The response may say more than the error code. */
function describeRefusal(outcome: RefusedOutcome, run: FinishedRun): Cause {
  const { detail, httpStatus = 0, isPage } = outcome;
  if (lacksCredits(detail, httpStatus)) {
    return {
      title: 'Not enough credits',
      happened: message`The organization doesn't have enough credits (${detail}).`,
      steps: [
        step(
          message`Add credits, turn on overages, or wait until the balance resets. Then re-run.`,
        ),
      ],
    };
  }
  const isBlocked = isPage === true && httpStatus >= 400 && httpStatus !== 429;
  if (isBlocked) {
    return describeBlocked(outcome);
  }
  const rehearsed = isRehearsal(run) ? describeInRehearsal(outcome) : undefined;
  return rehearsed ?? describeCode(outcome, run);
}

function describeBlocked({ detail, excerpt }: RefusedOutcome): Cause {
  return {
    title: 'Request blocked',
    happened: message`The response is a web page that didn't come from the service
      (${detail}).${quoteExcerpt(excerpt)}`,
    steps: [
      step(
        message`Check ${code('base-url')}, and the firewall and the proxy between the runner and the
          service. Then re-run, or start a new run if the workflow file has changed.`,
      ),
    ],
  };
}

/** In a rehearsal, the emulator may refuse what the service would accept. */
function describeInRehearsal({ code: errorCode, detail }: RefusedOutcome): Cause | undefined {
  switch (errorCode) {
    case 'connect-failed':
      return cause(
        'Emulator unreachable',
        message`Couldn't connect to the emulator (${detail}).`,
        message`Check that the emulator is still running, then re-run.`,
      );
    case 'unauthorized':
      return cause(
        'API key rejected',
        message`The emulator rejected the API key (${detail}).`,
        message`Set ${code('api-key')} to a key that the emulator prints, or to the output
          ${code('api-key')} of its step, in a new run.`,
      );
    case 'not-found':
      return cause(
        'Project or job not found',
        message`The emulator has no such project or job (${detail}).`,
        message`Set ${code('project-id')} to one of its projects, or ${code('job-id')} to a job that
          it has started. Then start a new run, or re-run if they come from variables.`,
      );
    default:
      return undefined;
  }
}

function describeCode(outcome: RefusedOutcome, run: FinishedRun): Cause {
  const { detail, excerpt } = outcome;
  const quoted = quoteExcerpt(excerpt);
  switch (outcome.code) {
    case 'unwritable-output':
      return cause(
        "Can't write outputs",
        message`The outputs can't be written (${detail}).`,
        message`Check that the runner's disk isn't full, and that the GITHUB_OUTPUT file is
          writable. Then re-run.`,
      );
    case 'connect-failed':
      return cause(
        'Service unreachable',
        message`Couldn't connect to the service (${detail}).`,
        message`Check ${code('base-url')}, the runner's network and proxy, and the service's status
          page. Then re-run, or start a new run if the workflow file has changed.`,
      );
    case 'tls-failed':
      return cause(
        'Connection not secure',
        message`The connection to the service isn't secure (${detail}).`,
        message`Check ${code('base-url')}, and whether a proxy intercepts TLS. For the certificate
          authority of a proxy or a private service, set ${code('NODE_EXTRA_CA_CERTS')} to the path
          of its PEM file, in a new run.`,
      );
    case 'proxy-refused':
      return describeProxy(detail);
    case 'unauthorized':
      return cause(
        'API key rejected',
        message`The service rejected the API key (${detail}).`,
        message`The key may have expired. Create an admin key on ${nameKeysPage(run)}, update the
          secret, and re-run.`,
      );
    case 'forbidden':
      return describeForbidden(detail, run);
    case 'not-found':
      return describeNotFound(detail, run);
    case 'rate-limited':
      return describeRateLimit(detail);
    case 'redirected':
      return cause(
        'Unexpected redirect',
        message`The service returned a redirect, which this action never follows
          (${detail}).${quoted}`,
        /https:\/\/\S+\/v2\b/.test(detail)
          ? message`If you trust the new address, start a new run with ${code('base-url')} set to
              its part before ${code('/v2')}.`
          : message`Check ${code('base-url')}, and start a new run with the right address.`,
      );
    case 'bad-request':
      return cause(
        'Request rejected',
        message`The service rejected the request (${detail}).${quoted}`,
        message`Fix the reported problem, and start a new run: a re-run sends the same request
          again.`,
      );
    case 'internal':
      return cause(
        'Error in this action',
        message`This action failed (${detail}).`,
        message`Re-run, and report this as a bug in this action.`,
      );
  }
}

function describeProxy(detail: string): Cause {
  return cause(
    'No connection through the proxy',
    message`Couldn't connect to the service through the proxy (${detail}).`,
    /\b407\b/.test(detail)
      ? message`Set ${code('HTTPS_PROXY')} with a login, such as
          ${code('http://user:password@host:port')}, from a secret, in a new run.`
      : message`Check ${code('HTTPS_PROXY')}, and that the proxy allows the host of
          ${code('base-url')}. Then re-run, or start a new run if the workflow file has changed.`,
  );
}

function describeRateLimit(detail: string): Cause {
  return cause(
    'Rate limit reached',
    message`The service is limiting requests (${detail}).`,
    message`Re-run later: the service allows 100 new jobs and follow-ups per project per hour.`,
  );
}

function describeForbidden(detail: string, run: FinishedRun): Cause {
  return cause(
    'Request refused',
    message`The service refused the request (${detail}).`,
    message`Check the key on ${nameKeysPage(run)}: it needs the ${code('write')} scope, and an IP
      allowlist must include the runner. The API also needs a Pro or Enterprise plan. Then re-run.`,
  );
}

function describeNotFound(detail: string, run: FinishedRun): Cause {
  const job = isFollowUp(run)
    ? message`, and ${code('job-id')} from the run that started the job`
    : [];
  return cause(
    isFollowUp(run) ? 'Project or job not found' : 'Project not found',
    message`The service doesn't recognize this project${isFollowUp(run) ? message` or job` : []}
      (${detail}).`,
    message`Copy ${code('project-id')} from ${nameKeysPage(run)}${job}. Check
      ${code('base-url')}. Then start a new run, or re-run if they come from variables.`,
  );
}

function cause(title: string, happened: Message, ...steps: readonly Message[]): Cause {
  return { title, happened, steps: steps.map((text): Step => step(text)) };
}
