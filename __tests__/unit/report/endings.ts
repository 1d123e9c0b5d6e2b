import { LAST_JOB } from '../../../src/changes/range.ts';
import type { GitHubContext } from '../../../src/github/context.ts';
import { INPUT_DEFAULTS } from '../../../src/inputs/defaults.ts';
import { parsePaths } from '../../../src/inputs/parsers.ts';
import { readInputs } from '../../../src/inputs/read-inputs.ts';
import type { FinalFacts } from '../../../src/report/facts.ts';
import type { ReadFailure } from '../../../src/service/retry-policy.ts';
import { getErrorOutcome, type Outcome } from '../../../src/state/outcome.ts';
import type { RunState } from '../../../src/state/run-state.ts';
import {
  attach,
  create,
  createGitHubContext,
  createInputs,
  createReading,
  createRecordedAttempt,
  createResult,
  createState,
  createTestJob,
  followUp,
  KEY,
  MINUTE,
  NOT_STARTED_CODES,
  PULL_REQUEST,
} from '../fixtures.ts';

const active = createTestJob();
const completed = createTestJob({ status: 'completed' });
const linked = createTestJob({ status: 'completed', prLink: PULL_REQUEST });
/** Of the repository of the run. */
const here = createTestJob({
  status: 'completed',
  prLink: 'https://github.com/acme/app/pull/9',
  source: { repository: 'https://github.com/acme/app', ref: 'main' },
});
const failed = createTestJob({ status: 'failed' });

// What may be known at the end.
const settled = { kind: 'settled' } as const;
const unsettled = { kind: 'unsettled', detail: 'HTTP 503' } as const;
const asked = { request: create } as const;
const withdrawn = { ...asked, claim: unsettled } as const;
const running = { ...asked, job: active, claim: settled } as const;
const firstAttempt = createRecordedAttempt(7, 1);
const found = { kind: 'found', jobId: 'job_1', attempt: firstAttempt } as const;
const reused = { request: attach, earlierJob: found } as const;
const named = { request: attach } as const;
const broken = { ...running, job: createTestJob({ status: 'failed', prLink: PULL_REQUEST }) };
const followed = { request: followUp } as const;
const sending = { isUnconfirmed: true, sentAt: Date.UTC(2026, 10, 24, 2, 14, 7) } as const;
const unanswered = { ...asked, ...sending, claim: { kind: 'open' } } as const;
const rival = { ...createRecordedAttempt(6, 2), atMs: Date.UTC(2026, 10, 24, 1) };
const earlier = { ...firstAttempt, atMs: Date.UTC(2026, 10, 24, 1) };
const sibling = { ...earlier, mayRun: true };

const SAID: Readonly<Record<(typeof NOT_STARTED_CODES)[number], string>> = {
  'unwritable-output': 'ENOSPC: no space left on device',
  'connect-failed': 'connection refused: ECONNREFUSED api.mintlify.com:443; tried 5 times',
  'tls-failed': 'the certificate is from an unknown authority: SELF_SIGNED_CERT_IN_CHAIN',
  'proxy-refused': 'the proxy returned HTTP 502 for CONNECT',
  'bad-request': 'HTTP 400: prompt is too long',
  unauthorized: 'HTTP 401: Invalid API key',
  forbidden: 'HTTP 403: Forbidden',
  'no-credits': 'HTTP 402: Insufficient credits',
  'not-found': 'HTTP 404: Project not found',
  'rate-limited': 'HTTP 429: Too many requests',
  redirected: 'HTTP 308 to https://docs.example.com/',
  'timed-out': 'no time was left to connect',
  internal: 'unexpected end of input',
};

const DAY_MS = 24 * 60 * MINUTE;
const own = createInputs({ baseUrl: new URL(INPUT_DEFAULTS['base-url']) });
const release = { ...own, tag: 'v1.2.0' };
const never = { ...own, reuse: 'never' } as const;
const sinceLast = { ...own, changesSince: LAST_JOB };
const onePullRequest = { ...sinceLast, skipWhilePrOpen: true };
const begun = createReading({ kind: 'known', ref: 'c0ffee'.padEnd(40, '0') }, 34);
const dry = { ...own, dryRun: true };
const withPaths = { ...own, paths: parsePaths('src/**') };
const tagged = { ...own, tag: 'v1.0.0' };
const emulator = {
  apiKey: 'mint_emulator_admin_key_0001',
  baseUrl: new URL('http://127.0.0.1:4010'),
};
const rehearsal = createInputs(emulator);

const opened: Outcome = { result: 'pull-request-opened' };
const without: Outcome = { result: 'no-pull-request' };
const started: Outcome = { result: 'started' };
const skipped: Outcome = { result: 'skipped' };
const dryRun: Outcome = { result: 'dry-run' };
const jobFailed: Outcome = { result: 'failed', code: 'job-failed' };
const timedOut: Outcome = { result: 'timed-out', code: 'timed-out' };
const cancelled: Outcome = { result: 'cancelled', code: 'cancelled' };
const bug = 'unexpected end of input';
const unknown = (detail: string, code: 'start-unknown' | 'internal' = 'start-unknown'): Outcome => {
  return { result: 'start-unknown', code, detail };
};
const another = (attempt: typeof rival, isLongestWait = true): Outcome => {
  return { result: 'start-unknown', code: 'start-unknown', attempt, isLongestWait };
};
type Refusal = Extract<Outcome, { readonly detail: string; readonly result: 'not-started' }>;
/** Nothing was started. `cause` is that of GitHub. */
const refused = (code: Refusal['code'], detail: string, cause?: string): Outcome =>
  ({ result: 'not-started', code, detail, ...(cause !== undefined && { cause }) }) as Refusal;
const lost = (reason: ReadFailure, detail: string, httpStatus?: number) =>
  ({ result: 'lost', code: 'job-lost', reason, detail, httpStatus }) as const;
const VALID = { prompt: 'Write it', 'project-id': 'docs', 'api-key': KEY };
/** The outcome of a run with these inputs, as the checks of the inputs see them. */
const invalid = (inputs: Record<string, string>, event: Partial<GitHubContext> = {}): Outcome => {
  const entries = Object.entries({ ...VALID, ...inputs });
  const env = Object.fromEntries(
    entries.map(([name, text]) => [`INPUT_${name.toUpperCase()}`, text]),
  );
  try {
    readInputs(env, createGitHubContext(event));
  } catch (error) {
    return getErrorOutcome(error, createState());
  }
  throw new Error('these inputs are valid');
};
const dependabot = { isWithoutSecrets: true } as const;

type Ending = readonly [string, Outcome, Partial<RunState>, FinalFacts['inputs']?, string?];

const done = { ...running, job: linked } as const;
const unlinked = { ...running, job: completed } as const;
const failedBefore = { ...found, kind: 'failed', jobId: 'job_0' } as const;
const refusedLink = createTestJob({ status: 'completed', prLink: 'http://example.com' });
const brief = { ...own, wait: false };
const noCommits = { reason: 'no-commits', since: 'v1.1.0' } as const;
const noMatch = { reason: 'no-match', since: 'v1.1.0', files: 299 } as const;
const TAKEN_BACK = ['edited', 'deleted', 'unpublished', 'unmerged', 'ref-deleted'] as const;
const firstRun = { reason: 'first-run' } as const;
const oneCommit = createReading({ kind: 'known', ref: 'c0ffee'.padEnd(40, '0') }, 1);
const unread = createReading({ kind: 'known', ref: 'c0ffee'.padEnd(40, '0') });
const covered = { ...asked, changes: begun };
const firstOfAll = { ...asked, changes: createReading({ kind: 'first-run' }) };
const dryLast = { ...sinceLast, dryRun: true };
/** The last pull request is open for so many days, as far as that is known. */
const openFor = (days?: number, changes = begun): Partial<RunState> => {
  const ageMs = days === undefined ? undefined : days * DAY_MS;
  return { ...named, job: linked, changes, skip: { reason: 'pr-open', ageMs } };
};
const unmarked = { ...asked, skip: { reason: 'first-run' } } as const;
const atWork = { skip: { reason: 'job-at-work' } } as const;
const noAccess = 'HTTP 403: Resource not accessible by integration';
const noPull = `${noAccess}, for ${PULL_REQUEST}`;
const goneJob = lost('not-found', 'HTTP 404: Job not found', 404);
const wrongKey = 'HTTP 401: Invalid API key';
const upgrade = 'HTTP 401: Please upgrade to access this route.';
const plan = { ...refused('unauthorized', upgrade), kind: 'plan' } as Outcome;
const denied = refused('forbidden', 'HTTP 403: a web page titled "Access denied"');
const blocked = { ...denied, kind: 'blocked' } as Outcome;
const crashed: Outcome = { result: 'lost', code: 'internal', detail: bug };
const otherHost = "it isn't on https://github.com: https://gitlab.com/a/b/-/merge_requests/1";
const recordDown = refused('record-failed', 'HTTP 503', 'unavailable');
const goneCommit = 'HTTP 404: Not Found (0123456789)';
const deleted = 'GitHub deletes the record of a job after 90 days';
const singleSignOn =
  'HTTP 403: Resource protected by organization SAML enforcement. You must grant your token access.';
const goneTag = 'the repository has no tag v1.2.0';
const noRun = 'GITHUB_SHA is not set, or is malformed';

/** Every ending, with the state at that time, the inputs, and a problem with the outputs. */
const list: readonly Ending[] = [
  ['success', opened, done],
  ['success of an earlier attempt', opened, { ...reused, job: linked }],
  ['success after a job that failed', opened, { ...done, earlierJob: failedBefore }],
  ['success, id not recorded', opened, { ...done, claim: unsettled }],
  ['success in the same repository', opened, { ...running, job: here }],
  ['success in the same repository, with `paths`', opened, { ...running, job: here }, withPaths],
  ['success in the same repository, for a tag', opened, { ...running, job: here }, tagged],
  ['success in a rehearsal', opened, done, rehearsal],
  ['success with `reuse: never`', opened, { ...asked, job: linked }, never],
  ['success, outputs not written', opened, done, own, 'ENOSPC: no space left'],
  ['no pull request', without, unlinked],
  ['no pull request, since the last job', without, { ...unlinked, changes: begun }, sinceLast],
  ['a link that is refused', without, { ...running, job: refusedLink }],
  ['archived', { result: 'archived' }, { ...running, job: createTestJob({ status: 'archived' }) }],
  ['started', started, running, brief],
  ['started, but unreadable', started, { ...reused, pollFailure: 'HTTP 503' }, brief],
  ['follow-up sent', started, { ...followed, job: active }, brief],
  ['failed', jobFailed, { ...running, job: failed }],
  ['failed with a pull request', jobFailed, broken],
  ['failed, with one pull request', jobFailed, broken, onePullRequest],
  ['failed, since the last job', jobFailed, { ...running, job: failed }, sinceLast],
  ['failed, a named job', jobFailed, { ...named, job: failed }],
  ['failed, id not recorded', jobFailed, { ...running, job: failed, claim: unsettled }],
  ['timed out', timedOut, running],
  ['timed out, id not recorded', timedOut, { ...running, claim: unsettled }],
  ['timed out with `reuse: never`', timedOut, { ...asked, job: active }, never],
  ['timed out while polls fail', timedOut, { ...running, pollFailure: 'HTTP 502', seenMs: 4_000 }],
  ['timed out before a reply', timedOut, { ...named, pollFailure: 'HTTP 502' }],
  ['timed out after a follow-up', timedOut, { ...followed, job: completed }],
  ['canceled before the request', cancelled, asked],
  ['canceled, claim not withdrawn', cancelled, withdrawn],
  ['canceled during the request', cancelled, unanswered],
  ['canceled while waiting', cancelled, running],
  ['canceled while waiting for a rival', cancelled, { ...asked, rival }],
  ['no answer', unknown('no complete response within 1 min'), unanswered],
  ['HTTP 502', unknown('HTTP 502'), unanswered],
  ['no answer, for a release', unknown('HTTP 502'), unanswered, release],
  ['no answer with `reuse: never`', unknown('HTTP 502'), { ...asked, ...sending }, never],
  ['no answer in a rehearsal', unknown('HTTP 502'), unanswered, rehearsal],
  ['a bug after the request', unknown(`internal error: ${bug}`, 'internal'), unanswered],
  ['follow-up unknown', unknown('HTTP 500'), { ...followed, ...sending }],
  ['canceled while sending a follow-up', cancelled, { ...followed, ...sending }],
  ['another run is at it', another(rival), { ...asked, rival }, release],
  ['another step may be starting one', another(sibling), { ...asked, rival: sibling }],
  ['an earlier attempt may have started one', another(earlier), { ...asked, rival: earlier }],
  ['an earlier attempt, GitHub down', another(earlier, false), { ...asked, rival: earlier }],
  ...NOT_STARTED_CODES.map((kind): Ending => [kind, refused(kind, SAID[kind]), asked]),
  ['plan', plan, asked],
  ['blocked on the way', blocked, asked],
  ['outdated', { ...refused('bad-request', 'HTTP 410: Gone'), kind: 'outdated' } as Outcome, asked],
  ['proxy login', refused('proxy-refused', 'the proxy returned HTTP 407 for CONNECT'), asked],
  ['refused, claim not withdrawn', refused('unauthorized', wrongKey), withdrawn],
  [
    'refused, claim still open',
    refused('unauthorized', wrongKey),
    { ...asked, claim: { kind: 'open' } },
  ],
  ['refused, since the last job', refused('unauthorized', wrongKey), covered, sinceLast],
  ['refused the last job', refused('unauthorized', wrongKey), asked, sinceLast],
  ['record: GitHub down, since the last job', recordDown, covered, sinceLast],
  ['record: GitHub down, start unknown', recordDown, asked, sinceLast],
  ['record: GitHub down in a first run', recordDown, firstOfAll, sinceLast],
  ['refused in a dry run, since the last job', refused('unauthorized', wrongKey), covered, dryLast],
  ['follow-up refused', refused('not-found', 'HTTP 404: Job not found'), followed],
  ['record: no access', refused('record-failed', noAccess, 'access'), asked],
  ['record: no access for a mark', refused('record-failed', noAccess, 'access'), unmarked],
  ['record: a setting', refused('record-failed', noRun, 'setting'), asked],
  ['record: full', refused('record-failed', 'HTTP 422: Validation Failed', 'full'), asked],
  ['record: a wrong token', refused('record-failed', 'HTTP 401: Bad credentials', 'token'), asked],
  ['record: single sign-on', refused('record-failed', singleSignOn, 'organization'), asked],
  ['record: GitHub down', recordDown, asked],
  ['record: GitHub down after the claim', recordDown, withdrawn, release],
  ['changes: gone', refused('changes-unknown', goneCommit, 'gone'), asked],
  ['changes: the tag is gone', refused('changes-unknown', goneTag, 'deleted'), asked],
  ['changes: no record', refused('changes-unknown', deleted, 'no-record'), asked],
  ['changes: no access', refused('changes-unknown', 'HTTP 403: No', 'access'), asked],
  [
    'changes: a setting',
    refused('changes-unknown', 'GITHUB_API_URL is not an https address', 'setting'),
    asked,
  ],
  [
    'changes: no such API',
    refused('changes-unknown', 'this host has no GraphQL API', 'host'),
    asked,
  ],
  ['changes: GitHub down', refused('changes-unknown', 'HTTP 503', 'unavailable'), asked],
  ['job gone', goneJob, reused],
  ['job gone, named', goneJob, named],
  ['job gone, since the last job', goneJob, reused, onePullRequest],
  ['key rejected while waiting', lost('refused', wrongKey, 401), running],
  ['not readable', lost('refused', 'HTTP 403: Forbidden', 403), running],
  ['a bug while waiting', crashed, running],
  ['inputs', invalid({ prompt: '', wait: 'yes', paths: './src/**' }), {}],
  ['an input that is none', invalid({ promt: 'Write it', prompt: '' }), {}],
  ['secret and variable empty', invalid({ 'project-id': '', 'api-key': '' }), {}],
  ['secret empty', invalid({ 'api-key': '' }), {}],
  ['variable empty', invalid({ 'project-id': '' }), {}],
  ['no secrets in this run', invalid({ 'api-key': '' }, dependabot), {}],
  ['no secrets and no variable', invalid({ 'project-id': '', 'api-key': '' }, dependabot), {}],
  ['no variable, but a secret', invalid({ 'project-id': '' }, dependabot), {}],
  ['a wrong key', invalid({ 'api-key': `ghp_${'0'.repeat(36)}` }), {}],
  ['a wrong project id', invalid({ 'project-id': 'https://app.mintlify.com/acme' }), {}],
  ['nothing changed', skipped, { ...asked, skip: noCommits }],
  ['nothing matches', skipped, { ...asked, skip: noMatch }],
  ['first run', skipped, { ...asked, skip: firstRun }],
  ...TAKEN_BACK.map((event): Ending => {
    return [`taken back: ${event}`, skipped, { ...asked, skip: { reason: 'taken-back', event } }];
  }),
  ['the last job is at work', skipped, { ...named, job: active, ...atWork }],
  ['another run is starting a job', skipped, { ...asked, ...atWork }],
  ['the last pull request is open', skipped, openFor(7), onePullRequest],
  ['its age is unknown', skipped, openFor(), onePullRequest],
  ['it is open for long', skipped, openFor(9.9), onePullRequest],
  ['it is open for long, for one commit', skipped, openFor(7.1, oneCommit), onePullRequest],
  ['it is open for long, for unread commits', skipped, openFor(400, unread), onePullRequest],
  ['last pull request: no access', refused('pr-unknown', noPull, 'access'), asked],
  ['last pull request: another host', refused('pr-unknown', otherHost, 'setting'), asked],
  ['last pull request: GitHub down', refused('pr-unknown', 'HTTP 503', 'unavailable'), asked],
  ['follow-up skipped', skipped, { ...followed, skip: noCommits }],
  ['dry run', dryRun, asked, dry],
  ['dry run that waits', dryRun, { ...reused, job: active }, dry],
  ['dry run that skips', dryRun, { ...asked, skip: noCommits }, dry],
  ['dry run, pull request open for long', dryRun, openFor(9), { ...onePullRequest, dryRun: true }],
  ['dry run, service down', { result: 'dry-run', unchecked: 'HTTP 503' }, asked, dry],
  ['dry run, key rejected', refused('unauthorized', wrongKey), asked, dry],
];

export const endings: readonly (readonly [string, FinalFacts])[] = list.map(
  ([name, outcome, state, inputs = own, outputProblem]) => [
    name,
    createResult(outcome, {
      state: createState(state),
      // Before the inputs are valid, they are unknown.
      inputs: outcome.code === 'invalid-input' ? undefined : inputs,
      github: createGitHubContext({ docsUrl: 'https://github.com/acme/action/blob/v1/docs' }),
      outputProblem,
    }),
  ],
);
