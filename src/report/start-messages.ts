import type { NotStartedCode } from '../errors.ts';
import { lacksCredits } from '../job/retry-policy.ts';
import type { Outcome } from '../outcome.ts';
import { code, joinMessages, link, type Message, message } from '../text/message.ts';
import { describeExcerpt, type Facts, type OutcomeMessage } from './facts.ts';

export const REPORT_BUG = message`Report this as a bug in this action.`;

type NotStartedOutcome = Extract<Outcome, { outcome: 'not-started' }>;
type Refusal = Extract<NotStartedOutcome, { httpStatus: number | undefined }>;

const HAPPENED: Record<NotStartedCode, Message> = {
  'unwritable-output': message`The outputs can't be written`,
  'connect-failed': message`Couldn't connect to the service`,
  'tls-failed': message`The connection to the service is not secure`,
  'proxy-refused': message`Couldn't connect to the service through the proxy`,
  unauthorized: message`The service does not accept the API key`,
  forbidden: message`The API key is not allowed to do this`,
  'not-found': message`The service does not know this project or job`,
  'rate-limited': message`The service limits requests`,
  redirected: message`The service answered with a redirect, which this action never follows`,
  'bad-request': message`The service rejected the request`,
  internal: message`This action failed`,
};

const NEXT: Record<NotStartedCode, Message> = {
  'unwritable-output': message`Check that the disk of the runner is not full, and that the GITHUB_OUTPUT file is writable.`,
  'connect-failed': message`Check ${code('base-url')}, the network of the runner, and the status of the service. Then run this again.`,
  'tls-failed': message`Check ${code('base-url')}. If the service uses a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.`,
  'proxy-refused': message`Check HTTPS_PROXY and NO_PROXY, and that the proxy allows the host of ${code('base-url')}.`,
  unauthorized: message`Check the secret. Keys expire, by default after 90 days. Assistant keys (${code('mint_dsc_…')}) and index keys (${code('mint_us_…')}) don't work here.`,
  forbidden: message`Check the key on the API keys page. It needs the scope ${code('write')}, and any IP allowlist must include the runner.`,
  'not-found': message`Check ${code('project-id')} (copy it from the API keys page) and ${code('base-url')} (without ${code('/v2')}). For a follow-up, check the job id, too.`,
  'rate-limited': message`Run this again later. The service allows 100 uses per project per hour.`,
  redirected: message`Set ${code('base-url')} to the address that the service redirects to.`,
  'bad-request': message`Fix the reported problem, then run this again.`,
  internal: REPORT_BUG,
};

/** Describes a run that certainly started nothing. */
export function describeNotStarted(outcome: NotStartedOutcome, facts: Facts): OutcomeMessage {
  const { noEffect } = facts;
  const error = { level: 'error', title: 'Documentation job not started' } as const;
  switch (outcome.code) {
    case 'invalid-input':
      return {
        ...error,
        title: 'Docs agent: invalid inputs',
        text: message`The inputs are not valid. ${noEffect}`,
        next: outcome.problems,
      };
    case 'reuse-unknown': {
      const text = message`Couldn't check for an earlier job (${outcome.detail}). To avoid paying twice, this run started no job.`;
      const never = message`If you know that there is no other job, set ${code('reuse')} to ${code('never')}.`;
      const remedy = outcome.isRefused
        ? message`Give the workflow job ${code('statuses: write')}, and start a new run: a re-run keeps the old permissions.`
        : message`Run this again later.`;
      return { ...error, text, next: [remedy, never] };
    }
    default: {
      const [happened, next] = describeRefusal(outcome, facts);
      const refused = message`${happened} (${outcome.detail}).`;
      if (outcome.excerpt !== undefined) {
        const odd = message`This is not an error that the service documents, so it doesn't show whether the request had an effect.`;
        const text = joinMessages(refused, odd, ...describeExcerpt(outcome.excerpt));
        const title = facts.isFollowUp ? 'Follow-up refused' : 'Documentation job refused';
        return { ...error, title, text, next: [next, ...facts.charges] };
      }
      const title = facts.isFollowUp ? 'Follow-up not delivered' : error.title;
      return { ...error, title, text: joinMessages(refused, noEffect), next: [next] };
    }
  }
}

/** Returns what happened and what to do next. The service's words may say more than the error code. */
function describeRefusal(refusal: Refusal, { charges }: Facts): [Message, Message] {
  const { httpStatus, detail } = refusal;
  if (lacksCredits(detail, httpStatus)) {
    const remedy = message`Add credits, turn on overages, or wait until the balance resets.`;
    return [message`The organization doesn't have enough credits`, joinMessages(remedy, ...charges)];
  }
  if (httpStatus === 403 && /\bplans?\b/i.test(detail)) {
    const remedy = message`The API and the agent need a Pro or Enterprise plan. Another key does not help.`;
    return [message`The organization's plan does not allow this`, remedy];
  }
  return [HAPPENED[refusal.code], NEXT[refusal.code]];
}

/** Describes a create or follow-up, of this run or of another one, that may have had an effect. */
export function describeStartUnknown(
  outcome: Outcome & { outcome: 'start-unknown' },
  facts: Facts,
): OutcomeMessage {
  const isOther = 'attempt' in outcome;
  return {
    level: 'error',
    title: facts.isFollowUp
      ? "Couldn't confirm that the follow-up arrived"
      : "Couldn't confirm that a documentation job started",
    text: isOther
      ? message`Attempt ${String(outcome.attempt.attempt)} of another run (${link(outcome.attempt.page)}) tried to start a job, but the response was lost. ${facts.possibleEffect} To avoid paying twice, this run sent nothing.`
      : joinMessages(
          message`The request was sent, but its result is unknown (${outcome.detail}). To avoid paying twice, it was not repeated.`,
          facts.possibleEffect,
          ...describeExcerpt(outcome.excerpt),
        ),
    next: lookForStart(facts, isOther ? 'that run' : undefined),
  };
}

/** Returns the steps to take before another request. `rerun` names the run that would send it. */
export function lookForStart(facts: Facts, rerun = 'this workflow job'): Message[] {
  const found = message`If there is a new job, wait for it with ${code('job-id')}.`;
  const none = message`If none shows up within half an hour, re-run ${rerun}: it starts a new job, which costs credits.`;
  return facts.isFollowUp ? facts.waiting : [facts.places, joinMessages(found, none)];
}
