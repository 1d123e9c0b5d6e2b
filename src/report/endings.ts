import { formatDuration } from '../text/duration.ts';
import { code, link, type Message, message } from '../text/message.ts';
import type { EndFacts } from './facts.ts';

/**
 * An ending in words: the heading, what happened, and what to do next. Empty messages are left out.
 */
export type Words = readonly [title: string, happened: Message, ...next: Message[]];

const CONNECT_PAGE = 'https://www.mintlify.com/docs/agent#connect-repositories-as-context';
const CHECK_NETWORK = message`Check ${code('base-url')}, and the firewall and the proxy between the
  runner and the service.`;
const CHECK_READING = message`Check that the key is valid and may read jobs, and that
  ${code('project-id')} and ${code('base-url')} are right.`;
export const CHECK_DISK = message`Check that the disk of the runner is not full, and that the
  GITHUB_OUTPUT file is writable.`;
const TRUST_ADDRESS = message`If you trust the new address, start a new run with ${code('base-url')}
  set to its part before ${code('/v2')}.`;
const REPORT_BUG = message`Report this as a bug in this action.`;

/** The words for every ending. */
export const ENDINGS = {
  // The job is final.
  'pull-request-opened': ({ job, prLink }) => [
    'Documentation pull request opened',
    message`${job} opened ${link(prLink)}.`,
  ],
  'no-pull-request': ({ job, startNew, newRun }) => [
    'No documentation pull request',
    message`${job} completed without a pull request. Either nothing had to change, or the project
      publishes without pull requests, and the change may already be online.`,
    message`If you expected changes, connect the released repository to the service: the agent sees
      only connected repositories. See ${link(CONNECT_PAGE)}.`,
    startNew(newRun),
  ],
  'link-refused': ({ job, places }) => [
    'No link to a pull request',
    message`${job} completed. The service returned a link that is not a plain https address, so it
      was left out.`,
    ...places,
  ],
  archived: ({ job, prLink, places, startNew, newRun }) => [
    'Documentation job archived',
    message`${job} was archived by a person or by the service, so it won't
      continue.${prLink ? message` It opened ${link(prLink)}.` : []}`,
    ...(prLink ? [] : places),
    startNew(newRun),
  ],
  failed: ({ job, prLink, startNew, cost, charges }) => [
    'Documentation job failed',
    message`${job} failed${prLink ? message` after it opened ${link(prLink)}` : []}. The service
      does not say why.`,
    prLink ? message`Review the pull request first: it may be incomplete.` : [],
    startNew(message`re-run the workflow job`),
    message`To send this job a follow-up${cost(', which may cost credits')}, set ${code('job-id')}
      and ${code('prompt')}.`,
    charges,
  ],

  // The job is still running, or may be.
  started: ({ job, isCreate, waiting }) => [
    `Documentation job ${isCreate ? 'started' : 'continues'}`,
    message`${job} may still open a pull request. This run does not wait for it.`,
    ...waiting,
  ],
  'timed-out': ({ job, status, elapsed, waiting }) => [
    'Timed out waiting for the documentation job',
    message`${job} is still ${status} after ${elapsed}. It may still open a pull request.`,
    ...waiting,
    message`If jobs often take this long, raise ${code('timeout-minutes')}.`,
  ],
  'timed-out-unseen': ({ job, status, elapsed, waiting }) => [
    'Timed out waiting for the follow-up',
    message`${job} was ${status} before the follow-up, and still is after ${elapsed}. No poll has
      shown the agent working on the follow-up.`,
    ...waiting,
  ],
  'timed-out-unread': ({ job, status, detail, unreadMs, waiting }) => [
    'Timed out waiting for the documentation job',
    message`${job} couldn't be read for the last ${formatDuration(unreadMs)} (${detail}). Before
      that, its status was ${status}. It may still open a pull request.`,
    ...waiting,
    message`Check the status of the service and the network of the runner.`,
  ],
  lost: ({ job, detail, reason, isCreate, waiting, places }) => [
    'Lost track of the documentation job',
    message`${job} can't be read (${detail}). It may still open a pull request.`,
    {
      'not-found': isCreate ? [] : CHECK_READING,
      refused: CHECK_READING,
      unreadable: CHECK_NETWORK,
      bug: REPORT_BUG,
    }[reason],
    ...places,
    ...waiting,
  ],

  // There is no job.
  'job-not-found': ({ job, detail, noEffect }) => [
    'Documentation job not found',
    message`${job} was not found in this project (${detail}). ${noEffect}`,
    message`Copy the job id, ${code('project-id')}, and ${code('base-url')} from the run that
      started the job.`,
  ],
  'may-start': ({ cost, realRun, noEffect }) => [
    'Dry run',
    message`The inputs are valid, and the key can start jobs. Only a real run shows whether the
      project id is right${cost(' and whether any credits are left')}.${realRun} ${noEffect}`,
  ],
  'may-read': ({ realRun, noEffect }) => [
    'Dry run',
    message`The inputs are valid, and the key can read the job.${realRun} ${noEffect}`,
  ],
  unchecked: ({ detail, noEffect }) => [
    'Dry run, key not checked',
    message`The inputs are valid, but the key couldn't be checked (${detail}). ${noEffect}`,
    message`Check ${code('base-url')} and the status of the service, then run this again.`,
  ],
  skipped: ({ previousTag, files, noEffect }) => [
    'Documentation job skipped',
    message`No file that changed since ${code(previousTag)} matches ${code('paths')} (changed files:
      ${String(files)}). ${noEffect}`,
  ],

  // The cause only: `addEffect` adds what the request did.
  cancelled: () => ['Canceled', message`The step was canceled.`],
  'invalid-input': ({ problems }) => [
    'Invalid inputs',
    message`Some inputs are missing or invalid.`,
    ...problems,
  ],
  'reuse-unknown': ({ detail, isRefused, cost }) => [
    'Record of earlier jobs unreadable',
    message`An earlier job may exist, but its record on GitHub can't be read or written
      (${detail}).`,
    isRefused
      ? message`Give the workflow job ${code('statuses: write')}, and start a new run: a re-run
        keeps the old permissions.`
      : message`Check ${code('github-token')} and the status of GitHub, then run this again.`,
    message`If there is no earlier job, start one with
      ${code('reuse: never')}${cost(', which costs credits')}.`,
  ],
  'start-unknown': ({ detail, isFollowUp }) => [
    'No usable response',
    message`The request was sent, but its result is unknown (${detail}). To avoid a second
      ${isFollowUp ? 'follow-up' : 'job'}, the action did not retry.`,
  ],
  'start-elsewhere': ({ attempt: { attempt, page } }) => [
    'Result of another attempt unknown',
    message`Attempt ${String(attempt)} of the run at ${link(page)} was about to start this job, and
      no job id is on record. To avoid a second job, this step sent nothing.`,
  ],
  'unwritable-output': ({ detail }) => [
    'Outputs unwritable',
    message`The outputs can't be written (${detail}).`,
    CHECK_DISK,
  ],
  'connect-failed': ({ detail }) => [
    'Service unreachable',
    message`Couldn't connect to the service (${detail}).`,
    message`Check ${code('base-url')}, the network of the runner, and the status of the service.
      Then run this again.`,
  ],
  'tls-failed': ({ detail }) => [
    'Connection not secure',
    message`The connection to the service is not secure (${detail}).`,
    message`Check ${code('base-url')}, and whether a proxy intercepts TLS. For the certificate
      authority of a proxy or a private service, set ${code('NODE_EXTRA_CA_CERTS')} to the path of
      its PEM file.`,
  ],
  'proxy-refused': ({ detail }) => [
    'Proxy refused the connection',
    message`Couldn't connect to the service through the proxy (${detail}).`,
    message`Check ${code('HTTPS_PROXY')} and ${code('NO_PROXY')}, and that the proxy allows the host
      of ${code('base-url')}. If it requires a login (HTTP 407), set ${code('HTTPS_PROXY')} from a
      secret, such as ${code('http://user:password@host:port')}.`,
  ],
  unauthorized: ({ detail, keysPage }) => [
    'API key rejected',
    message`The service rejected the API key (${detail}).`,
    message`The key may have expired. Create an admin key on ${keysPage}, update the secret, and
      re-run this workflow job.`,
  ],
  forbidden: ({ detail, keysPage }) => [
    'API key lacks permission',
    message`The API key doesn't allow this request (${detail}).`,
    message`Check the key on ${keysPage}: it needs the ${code('write')} scope, and an IP allowlist
      must include the runner.`,
  ],
  blocked: ({ detail }) => [
    'Request blocked',
    message`The response is not from the service (${detail}).`,
    CHECK_NETWORK,
  ],
  'no-credits': ({ detail, charges, isOpen }) => [
    'Not enough credits',
    message`The organization doesn't have enough credits (${detail}).`,
    message`Add credits, turn on overages, or wait until the balance
      resets.${isOpen ? [] : message` Then run this again.`}`,
    isOpen ? [] : charges,
  ],
  'no-plan': ({ detail }) => [
    'Plan does not include the agent',
    message`The organization's plan doesn't include this feature (${detail}).`,
    message`The API and the agent need a Pro or Enterprise plan. Another key won't help.`,
  ],
  'not-found': ({ detail, keysPage, isFollowUp }) => [
    isFollowUp ? 'Project or job not found' : 'Project not found',
    message`The service does not know this project${isFollowUp ? message` or job` : []}
      (${detail}).`,
    message`Copy ${code('project-id')} from ${keysPage}, and check
      ${isFollowUp ? 'the job id' : code('base-url')}.`,
  ],
  'rate-limited': ({ detail }) => [
    'Rate limit reached',
    message`The service is limiting requests (${detail}).`,
    message`Wait before you run this again: the service allows 100 new jobs and follow-ups per
      project per hour.`,
  ],
  redirected: ({ detail, isOpen }) => [
    'Service redirects',
    message`The service returned a redirect, which this action never follows (${detail}).`,
    isOpen ? [] : TRUST_ADDRESS,
  ],
  'bad-request': ({ detail, isOpen }) => [
    'Request rejected',
    message`The service rejected the request (${detail}).`,
    isOpen ? [] : message`Fix the reported problem before you run this again.`,
  ],
  internal: ({ detail }) => [
    'Error in this action',
    message`This action failed (${detail}).`,
    REPORT_BUG,
  ],
} satisfies Record<string, (facts: EndFacts) => Words>;
