import { type Project, type Stage, toGatewayPage, toJson, toText } from './replies.ts';

const pullRequest = 'https://github.com/acme/docs/pull/128';
const mergeRequest = 'https://gitlab.com/acme/handbook/docs/-/merge_requests/42';

/**
 * Text that tries every way to break out of a log line, a Markdown table, a link, and an HTML page.
 */
export const hostileText = [
  'x\r::set-output name=status::completed',
  '##[add-mask]x ::stop-commands::t ::error::y',
  '| <img src=x onerror=alert(1)> </details> [a](javascript:alert(1)) ```',
  '\u001b[31m\u202Etxt.exe\u200B @everyone',
].join('\n');

/** A job that ends with this status. */
const ends = (atSeconds: number, status: string): Stage[] => [{ atSeconds, status }];
/** A job that opens a pull request. */
const opens = (atSeconds: number, prLink = pullRequest): Stage[] => [
  { atSeconds, status: 'completed', prLink },
];
const fail = (status: number, error: string, headers?: Record<string, string>) =>
  toJson(status, { error }, headers);
// Public clients of the service have met 429 in this form.
const limit = toText(429, 'Too many requests', { 'retry-after': '2' });
const overload = fail(503, 'The service is overloaded, try again', { 'retry-after': '1' });

/** The projects of the emulator. The project id of a job decides its behavior. */
export const standardProjects: readonly Project[] = [
  { id: 'quick', description: 'opens a pull request after 3 seconds', stages: opens(3) },
  { id: 'slow', description: 'opens a pull request after 2 minutes', stages: opens(120) },
  { id: 'endless', description: 'stays active forever', stages: [] },
  {
    id: 'gitlab',
    description: 'opens a merge request on GitLab after 3 seconds',
    fields: { source: { repository: 'https://gitlab.com/acme/handbook/docs', ref: 'main' } },
    stages: opens(3, mergeRequest),
  },
  {
    id: 'no-change',
    description: 'completes after 2 seconds without a link: no file changed',
    stages: ends(2, 'completed'),
  },
  {
    id: 'publishes-directly',
    description: 'completes after 3 seconds without a link: edits go straight to the deploy branch',
    stages: ends(3, 'completed'),
  },
  {
    id: 'archived',
    description: 'is archived after 3 seconds, with the time in archivedAt',
    stages: ends(3, 'archived'),
  },
  { id: 'failing', description: 'fails after 3 seconds', stages: ends(3, 'failed') },
  {
    id: 'failed-with-link',
    description: 'fails after 3 seconds with a pull request already open',
    stages: [{ atSeconds: 3, status: 'failed', prLink: pullRequest }],
  },
  {
    id: 'new-status',
    description: 'shows an undocumented status for 3 seconds, then completes',
    stages: [...ends(1, 'reviewing'), ...opens(4)],
  },
  {
    id: 'flaky',
    description: 'get: reset, 500, 502 (HTML), 503, and 504 once each, then completed',
    stages: opens(3),
    replies: {
      get: [
        { kind: 'reset' },
        fail(500, 'Internal server error'),
        toGatewayPage(502, 'Bad Gateway'),
        fail(503, 'Service unavailable'),
        toGatewayPage(504, 'Gateway Time-out'),
        'proper',
      ],
    },
  },
  {
    id: 'rate-limited',
    description: 'create and get: a text/plain 429 with Retry-After 2 once, then a pull request',
    stages: opens(3),
    replies: { create: [limit, 'proper'], get: ['proper', limit, 'proper'] },
  },
  {
    id: 'created-200',
    description: 'create: 200 instead of 201; opens a pull request after 3 seconds',
    stages: opens(3),
    createdStatus: 200,
  },
  {
    id: 'created-202',
    description: 'create: 202 instead of 201; opens a pull request after 3 seconds',
    stages: opens(3),
    createdStatus: 202,
  },
  {
    id: 'no-credits',
    description: 'create: a text/plain 429 that says that the credits are used up; no job starts',
    stages: [],
    // The service documents no response for this.
    replies: { create: [toText(429, 'Out of credits')] },
  },
  {
    id: 'refused',
    description: 'create: 422 with an error and other fields; no job starts',
    stages: [],
    replies: {
      create: [toJson(422, { error: 'Prompt is not allowed', details: [], requestId: 'req_1' })],
    },
  },
  {
    id: 'blocked',
    description: 'create: an HTML page with 403, as a firewall sends it; no job starts',
    stages: [],
    replies: { create: [toGatewayPage(403, 'Forbidden')] },
  },
  {
    id: 'overloaded',
    description:
      'create: the job starts, but the response is a 503 with Retry-After 1 and a JSON error',
    stages: opens(3),
    replies: { create: [{ ...overload, takesEffect: true }] },
  },
  {
    id: 'unreadable',
    description: 'create: the job starts, but the connection is reset before the response',
    stages: opens(3),
    replies: { create: [{ kind: 'reset', takesEffect: true }] },
  },
  {
    id: 'broken-gateway',
    description: 'create: the job starts, but the response is an HTML page with 502',
    stages: opens(3),
    replies: { create: [{ ...toGatewayPage(502, 'Bad Gateway'), takesEffect: true }] },
  },
  { id: 'lost', description: 'get returns 404 after 4 seconds', stages: [], goneAtSeconds: 4 },
  {
    id: 'hostile',
    description:
      'completes after 3 seconds; every text is an injection into logs, Markdown, or HTML',
    fields: {
      source: { repository: hostileText, ref: hostileText },
      model: hostileText,
      createdAt: hostileText,
      archivedAt: hostileText,
      prLink: `https://github.com/acme/docs/pull/128)\r${hostileText}`,
    },
    stages: [...ends(1, hostileText), ...ends(3, 'completed')],
    replies: { get: ['proper', fail(500, hostileText), 'proper'] },
  },
];
