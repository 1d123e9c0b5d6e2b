import type { NotStartedCode } from '../errors.ts';
import type { Outcome } from '../outcome.ts';
import { lacksCredits } from '../service/retry-policy.ts';
import { code, joinMessages, link, type Message, message } from '../text/message.ts';
import type { Facts } from './facts.ts';

/** An outcome in words: what happened, whether a job may exist, and what to do next. */
export interface Words {
  /** A few words, for headings. */
  readonly title: string;
  readonly text: Message;
  /** Steps for the reader, in order; or the problems of the inputs. */
  readonly next: readonly Message[];
}

export const REPORT_BUG = message`Report this as a bug in this action.`;

/** Why nothing was started: the cause as a heading, what happened, and what to do. */
type Refusal = readonly [cause: string, happened: string, next: (facts: Facts) => Message];
type RefusalKind = NotStartedCode | 'blocked' | 'no-credits' | 'no-plan' | 'proxy-login';

const REFUSALS: Readonly<Record<RefusalKind, Refusal>> = {
  'unwritable-output': [
    'Outputs not writable',
    "The outputs can't be written",
    () =>
      message`Check that the disk of the runner is not full, and that the GITHUB_OUTPUT file is writable.`,
  ],
  'connect-failed': [
    'Service not reachable',
    "Couldn't connect to the service",
    () =>
      message`Check ${code('base-url')}, the network of the runner, and the status of the service. Then run this again.`,
  ],
  'tls-failed': [
    'Connection not secure',
    'The connection to the service is not secure',
    () =>
      message`Check ${code('base-url')}. If a proxy inspects TLS, or the service has a private certificate authority, set NODE_EXTRA_CA_CERTS to that certificate.`,
  ],
  'proxy-refused': [
    'Proxy refused the connection',
    "Couldn't connect to the service through the proxy",
    () => message`Check HTTPS_PROXY and NO_PROXY, and that the proxy allows the host of ${code('base-url')}.`,
  ],
  'proxy-login': [
    'Proxy requires a login',
    "Couldn't connect to the service through the proxy",
    () => message`Put the user and password for the proxy in HTTPS_PROXY: http://user:password@host:port.`,
  ],
  unauthorized: [
    'API key not accepted',
    'The service does not accept the API key',
    ({ keysPage }) =>
      message`The key may have expired. Create an admin key on ${keysPage}, update the secret, and check it with ${code('dry-run: true')}.`,
  ],
  forbidden: [
    'API key lacks permission',
    'The API key is not allowed to do this',
    ({ keysPage }) =>
      message`Check the key on ${keysPage}: it needs the ${code('write')} scope, and an IP allowlist must include the runner.`,
  ],
  blocked: [
    'Request blocked',
    'The response is not from the service',
    () =>
      message`Check ${code('base-url')}, and the firewall and the proxy between the runner and the service.`,
  ],
  'no-credits': [
    'Not enough credits',
    "The organization doesn't have enough credits",
    ({ charges }) =>
      joinMessages(message`Add credits, turn on overages, or wait until the balance resets.`, ...charges),
  ],
  'no-plan': [
    'Plan does not include the agent',
    "The organization's plan does not allow this",
    () => message`The API and the agent need a Pro or Enterprise plan. Another key won't help.`,
  ],
  'not-found': [
    'Project not found',
    'The service does not know this project',
    ({ keysPage, isFollowUp }) =>
      message`Copy ${code('project-id')} from ${keysPage}, and check ${code(isFollowUp ? 'job-id' : 'base-url')}.`,
  ],
  'rate-limited': [
    'Rate limit reached',
    'The service limits requests',
    () => message`Run this again later. The service allows 100 uses per project and hour.`,
  ],
  redirected: [
    'Service redirects',
    'The service answered with a redirect, which this action never follows',
    () => message`Set ${code('base-url')} to the address that the service redirects to.`,
  ],
  'bad-request': [
    'Request rejected',
    'The service rejected the request',
    () => message`Fix the reported problem, then run this again.`,
  ],
  internal: ['Error in this action', 'This action failed', () => REPORT_BUG],
};

/** The service's words may say more than the error code. */
function getRefusalKind({ code, httpStatus, detail, excerpt }: NotStartedOutcome): RefusalKind {
  if (lacksCredits(detail, httpStatus)) {
    return 'no-credits';
  }
  if (httpStatus === 403 && /\bplans?\b/i.test(detail)) {
    return 'no-plan';
  }
  if (excerpt !== undefined && (code === 'unauthorized' || code === 'forbidden' || code === 'not-found')) {
    return 'blocked';
  }
  return code === 'proxy-refused' && detail.includes('HTTP 407') ? 'proxy-login' : code;
}

type NotStartedOutcome = Extract<Outcome, { httpStatus: number | undefined }>;

/** Describes a run that started nothing. */
export function describeNotStarted(
  outcome: Extract<Outcome, { outcome: 'not-started' }>,
  facts: Facts,
): Words {
  const end = facts.isFollowUp ? 'follow-up not sent' : 'no job started';
  switch (outcome.code) {
    case 'invalid-input':
      return { title: `Invalid inputs, ${end}`, text: facts.noEffect, next: outcome.problems };
    case 'reuse-unknown':
      return {
        title: `Record of earlier jobs not readable, ${end}`,
        text: message`An earlier job may exist, but its record can't be read or written (${outcome.detail}). To avoid a second job, this run started none${facts.cost(' and spent nothing')}.`,
        next: [
          outcome.isRefused
            ? message`Give the workflow job ${code('statuses: write')}, and start a new run: a re-run keeps the old permissions.`
            : message`Check ${code('github-token')} and the status of GitHub, then run this again.`,
          message`If you know that there is no other job, set ${code('reuse')} to ${code('never')}.`,
        ],
      };
    default: {
      const [cause, happened, next] = REFUSALS[getRefusalKind(outcome)];
      const text = message`${[{ kind: 'text', value: happened }]} (${outcome.detail}).`;
      if (outcome.excerpt === undefined) {
        return { title: `${cause}, ${end}`, text: joinMessages(text, facts.noEffect), next: [next(facts)] };
      }
      return {
        title: `${cause}, ${facts.isFollowUp ? 'follow-up' : 'job'} not confirmed`,
        text: joinMessages(
          message`${text} The service documents no such error.`,
          facts.possibleEffect,
          ...describeExcerpt(outcome.excerpt),
        ),
        next: [next(facts), ...facts.places, facts.rerun],
      };
    }
  }
}

/** Describes a request of this run, or of another attempt, that may have had an effect. */
export function describeStartUnknown(
  outcome: Extract<Outcome, { outcome: 'start-unknown' }>,
  facts: Facts,
): Words {
  const title = facts.isFollowUp ? 'Follow-up not confirmed' : 'Job start not confirmed';
  if ('attempt' in outcome) {
    const { attempt, page } = outcome.attempt;
    return {
      title,
      text: message`Attempt ${String(attempt)} of the run at ${link(page)} was about to start this job, and no job id is on record. ${facts.possibleEffect} To avoid a second job, this run sent nothing.`,
      next: lookForStart(facts, 'that run'),
    };
  }
  const sent = message`The request was sent, but its result is unknown (${outcome.detail}). To avoid a second ${facts.isFollowUp ? message`follow-up` : message`job`}, the action did not retry.`;
  return {
    title,
    text: joinMessages(sent, facts.possibleEffect, ...describeExcerpt(outcome.excerpt)),
    next: lookForStart(facts),
  };
}

/** Returns the steps to take before another request. `rerun` names the run that would send it. */
export function lookForStart(facts: Facts, rerun = 'this workflow job'): Message[] {
  if (facts.isFollowUp) {
    return facts.waiting;
  }
  return [
    ...facts.places,
    message`If there is a new job, wait for it with ${code('job-id')}.`,
    message`If no job shows up within half an hour, re-run ${[{ kind: 'text', value: rerun }]} to start a new one${facts.cost(', which costs credits')}.`,
    ...facts.help('did-a-job-start'),
  ];
}

/** Quotes the start of a response that is not documented. */
export function describeExcerpt(excerpt: string | undefined): Message[] {
  return excerpt === undefined ? [] : [message`The response starts with ${code(excerpt)}.`];
}
