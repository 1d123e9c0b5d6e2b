import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { toConnectError } from '../../../src/http/connect-error.ts';
import {
  type ApiResponse,
  type ApiResult,
  type CallOptions,
  createAgentClient,
} from '../../../src/service/agent-client.ts';
import type { Job } from '../../../src/service/job.ts';
import { pollJob } from '../../../src/service/poll-loop.ts';
import {
  classifyPoll,
  classifySend,
  type PollDecision,
} from '../../../src/service/retry-policy.ts';
import { sendPrompt } from '../../../src/service/start-job.ts';
import {
  bareServer,
  connectProxy,
  createAuthority,
  faults,
  jobRecord,
  type ProxyMode,
  type Step,
  scriptedService,
} from '../../helpers/servers.ts';
import { createResponse, createTestJob, createWorld, KEY, MINUTE } from '../fixtures.ts';

/** What a create request and a poll got. */
interface Results {
  readonly create: ApiResult;
  readonly get: ApiResult;
}

interface AskOptions {
  readonly timeoutMs?: number;
  /** Ends each request once it was sent, as its time limit would. */
  readonly isCut?: boolean;
}

/** Sends a real create request and a real poll to a server. */
async function ask(url: string, { timeoutMs = 20_000, isCut = false }: AskOptions = {}) {
  const baseUrl = new URL(url);
  const client = createAgentClient({ baseUrl, projectId: 'p', apiKey: KEY, redact: String });
  const limit = (): CallOptions => {
    const controller = new AbortController();
    const onSend = () => isCut && setTimeout(() => controller.abort(), 200);
    return { timeoutMs, signal: controller.signal, onSend };
  };
  const create = await client.createJob('x', limit());
  return { create, get: await client.getJob('job_1', limit()) };
}

/** Asks a service that gives the same response to both. */
async function respond(step: Step, options?: AskOptions): Promise<Results> {
  const { url } = await scriptedService({ create: [step], get: [step] });
  return ask(url, options);
}

/** Asks a server that does something on each connection, over TLS. */
async function connectTo(bytes: string, options?: AskOptions): Promise<Results> {
  const fault = bytes === '' ? faults.silence : faults.writeAndClose(Buffer.from(bytes, 'hex'));
  const { port } = await bareServer(fault);
  return ask(`https://127.0.0.1:${port}`, options);
}

async function connectThrough(mode: ProxyMode): Promise<Results> {
  vi.stubEnv('HTTPS_PROXY', (await connectProxy(mode, 9)).url);
  return ask('https://api.example.test');
}

/** What Node reports if a real server would need a name service or a trusted certificate. */
async function fail(error: object): Promise<Results> {
  const { code, isTransient, message } = toConnectError(error, new URL('https://x.test'));
  const result = { kind: 'not-sent', code, isTransient, detail: message } as const;
  return { create: result, get: result };
}

/** Makes a create request that always gets this result. Returns its waits and its end in words. */
async function playCreate(result: ApiResult, random = 0): Promise<string> {
  const { clock, timing } = createWorld({ random });
  const sent = await sendPrompt(
    async ({ onSend }) => {
      if (result.kind !== 'not-sent') {
        onSend?.();
      }
      return result;
    },
    timing,
    () => {},
  );
  const waits = clock.sleeps.map((ms) => ` wait ${ms / 1000},`).join('');
  switch (sent.kind) {
    case 'accepted':
      return `${waits} success`.trim();
    case 'cancelled':
      throw new Error('nothing cancels the run');
    default:
      return `${waits} ${sent.kind === 'unknown' ? 'start-unknown' : sent.failure.code}`.trim();
  }
}

function isPause(decision: PollDecision): boolean {
  return decision.kind === 'failed' && decision.pause !== undefined;
}

interface PollSettings {
  readonly timeoutMs?: number;
  readonly created?: Job;
}

/** Polls a job, always with this result. Returns the end in words, and the times of all polls. */
async function playPolls(result: ApiResult, { timeoutMs = 30 * MINUTE, created }: PollSettings) {
  // Pauses without their random part, and intervals of ten seconds.
  const random = isPause(classifyPoll(result)) ? 0 : 0.5;
  const { clock, timing } = createWorld({ timeoutMs, random });
  const startMs = clock.now();
  const times: number[] = [];
  const poll = async () => {
    times.push((clock.now() - startMs) / 1000);
    return classifyPoll(result);
  };
  const end = await pollJob(poll, {
    timing,
    pollIntervalMs: 10_000,
    created,
    onEvent: () => {},
  });
  return { end: end.kind === 'lost' ? `lost: ${end.reason}` : end.kind, times };
}

/** Returns how often the job is polled before it is lost, and for how long, or another end. */
async function describePolls(result: ApiResult, settings: PollSettings = {}): Promise<string> {
  const { end, times } = await playPolls(result, settings);
  if (end === 'final') {
    return 'success';
  }
  if (end !== 'timed-out') {
    return `${end}, ${times.length} polls in ${times.at(-1)} s`;
  }
  // Once more at the deadline.
  expect(times.at(-1)).toBe(1_800);
  if (times.length === 2) {
    return 'pause until the deadline';
  }
  const pauses = times.slice(1, 4).map((time, index) => time - (times[index] ?? 0));
  return isPause(classifyPoll(result))
    ? `pause ${pauses.join(', ')}`
    : `retry ${pauses.join(', ')}`;
}

const error = { error: 'no' };
const page = '<p>no</p>';
const record = jobRecord({ id: 'job_1', status: 'completed' });
const block = (status: number) => respond({ status, body: page });
const refuse = (status: number) => respond({ status, body: error });

/** Returns the results for each of these values, by its name. */
function each<T extends string | number>(
  values: readonly T[],
  getResults: (value: T) => Promise<Results>,
): Rule['results'] {
  return Object.fromEntries(values.map((value) => [`${value}`, () => getResults(value)]));
}

/** How a create request and polls end that always get one of these results. */
interface Rule {
  readonly create: string;
  readonly poll: string;
  readonly results: Readonly<Record<string, () => Promise<Results>>>;
}

const unreadable = 'lost: unreadable, 13 polls in 120 s';
const refused = 'lost: refused, 1 polls in 0 s';
const missing = 'lost: not-found, 4 polls in 30 s';
const retry = 'retry 10, 10, 10';
// Each time, the usual interval doubles, up to eight times.
const pause = 'pause 40, 40, 80';
const minute = 'pause 60, 60, 80';
const fourRetries = 'wait 1, wait 1, wait 1, wait 1,';
const fiveRetries = 'wait 30, wait 60, wait 120, wait 240, wait 300,';
/** What polls do after a failure with this reason. */
const READS: Readonly<Record<string, string>> = {
  none: retry,
  'rate-limited': pause,
  unreadable,
  refused,
  'not-found': missing,
};

/** Rules for each row, by its first cell. */
const ROWS: Readonly<Record<string, readonly Rule[]>> = {
  "not sent: DNS failure, refused, no connection within 10 s, TLS alert that isn't about the certificate or version, proxy unavailable or 408, 429, 5xx":
    [
      {
        create: `${fourRetries} connect-failed`,
        poll: retry,
        results: {
          'DNS failure': () => fail({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
          refused: () => ask('http://127.0.0.1:9'),
          'no connection': () => connectTo('', { timeoutMs: 300 }),
          // An internal error (RFC 8446 section 6).
          'TLS alert': () => connectTo('15030300020250'),
        },
      },
      {
        create: `${fourRetries} proxy-refused`,
        poll: retry,
        results: {
          'proxy unavailable': () => connectThrough('hang-up'),
          ...each([408, 429, 500, 502, 503, 504, 599], (status) => connectThrough(status)),
        },
      },
    ],
  'not sent: certificate, host name, TLS version, other status of the proxy': [
    {
      create: 'tls-failed',
      poll: refused,
      results: {
        certificate: async () => {
          const tls = createAuthority().issue(['localhost']);
          return ask((await scriptedService({}, { tls })).url);
        },
        'host name': () => fail({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
        'TLS version': () => connectTo('15030300020246'),
      },
    },
    {
      create: 'proxy-refused',
      poll: refused,
      results: each([301, 400, 403, 404, 407], (status) => connectThrough(status)),
    },
  ],
  'sent, no complete response within 60 s (poll: 30 s)': [
    {
      create: 'start-unknown',
      poll: retry,
      results: {
        silence: () => respond({ fault: faults.silence }, { isCut: true }),
        reset: () => respond({ fault: faults.reset }),
        close: () => respond({ fault: faults.close }),
        'a body that stops': () => respond({ fault: faults.stallBody }, { isCut: true }),
      },
    },
  ],
  '2xx that describes the job': [
    {
      create: 'success',
      poll: 'success',
      results: each([200, 201, 202, 299], (status) => respond({ status, body: record })),
    },
  ],
  'other 2xx': [
    {
      create: 'start-unknown',
      poll: unreadable,
      results: {
        204: () => respond({ status: 204 }),
        'a page': () => respond({ status: 200, body: page }),
        'an error': () => respond({ status: 200, body: error }),
        'no status': () => respond({ status: 200, body: { id: 'job_1' } }),
        'half of a body': () => respond({ fault: faults.cutBody }),
        'no id': () => respond({ status: 200, body: { status: 'active' } }),
        compressed: () =>
          respond({ status: 200, body: record, headers: { 'content-encoding': 'gzip' } }),
        'over 1 MiB': () => respond({ status: 200, body: ' '.repeat(1_048_577) }),
      },
    },
  ],
  '302, 303, 409; any other status, if the body is a job with `id` and `status`': [
    {
      create: 'start-unknown',
      poll: refused,
      results: {
        ...each([302, 303, 409], (status) => respond({ status, body: error })),
        ...each(['307 with a job', '400 with a job', '401 with a job'], (name) =>
          respond({ status: Number.parseInt(name, 10), body: { ...error, ...record } }),
        ),
      },
    },
    { create: 'start-unknown', poll: unreadable, results: each([302, 409], block) },
    {
      create: 'start-unknown',
      poll: pause,
      results: { '429 with a job': () => respond({ status: 429, body: record }) },
    },
  ],
  '408, 425, 460, 499, 5xx': [
    {
      create: 'start-unknown',
      poll: retry,
      results: each([408, 425, 460, 499, 500, 502, 503, 504, 599], (status) =>
        respond({ status, body: error }),
      ),
    },
    {
      create: 'start-unknown',
      poll: minute,
      results: each([408, 503], (status) =>
        respond({ status, body: error, headers: { 'retry-after': '60' } }),
      ),
    },
  ],
  429: [
    {
      create: `${fiveRetries} rate-limited`,
      poll: pause,
      results: {
        JSON: () => respond({ status: 429, body: error }),
        text: () => respond({ status: 429, body: 'Request quota exceeded' }),
        page: () => respond({ status: 429, body: '<p>Image credits</p>' }),
      },
    },
    {
      create: 'wait 60, wait 60, wait 60, wait 60, wait 60, rate-limited',
      poll: minute,
      results: {
        'Retry-After': () =>
          respond({ status: 429, body: error, headers: { 'retry-after': ['5', '60'] } }),
      },
    },
    {
      create: 'rate-limited',
      poll: 'pause until the deadline',
      results: {
        'too long': () =>
          respond({ status: 429, body: error, headers: { 'retry-after': '9'.repeat(12) } }),
      },
    },
    {
      create: 'no-credits',
      poll: pause,
      results: each(['credits', 'balance', 'billing', 'overages', 'plan'], (word) =>
        respond({ status: 429, body: `Out of ${word}` }),
      ),
    },
  ],
  '3xx or 4xx without JSON that has a string `error`': [
    {
      create: 'redirected',
      poll: unreadable,
      results: each([300, 301, 304, 307, 308], (status) => respond({ status, body: '' })),
    },
    {
      create: 'bad-request',
      poll: unreadable,
      results: {
        ...each([400, 405, 410, 422, 451], block),
        compressed: () => respond({ status: 400, headers: { 'content-encoding': 'gzip' } }),
        'over 1 MiB': () => respond({ status: 400, body: ' '.repeat(1_048_577) }),
      },
    },
    { create: 'unauthorized', poll: unreadable, results: each([401], block) },
    { create: 'no-credits', poll: unreadable, results: each([402], block) },
    { create: 'forbidden', poll: unreadable, results: each([403], block) },
    {
      create: 'not-found',
      poll: unreadable,
      results: {
        'a page': () => respond({ status: 404, body: page }),
        'another error': () => respond({ status: 404, body: { message: 'no' } }),
        'no text': () => respond({ status: 404, body: { error: 7 } }),
      },
    },
  ],
  '404, 410': [
    { create: 'not-found', poll: missing, results: each([404], refuse) },
    { create: 'bad-request', poll: missing, results: each([410], refuse) },
  ],
  'other 3xx and 4xx': [
    { create: 'redirected', poll: refused, results: each([300, 301, 307, 308], refuse) },
    { create: 'bad-request', poll: refused, results: each([400, 405, 418, 422, 451], refuse) },
    {
      create: 'redirected',
      poll: refused,
      results: {
        'an address': () =>
          respond({ status: 307, body: error, headers: { location: '/v2/agent/p/job/x' } }),
      },
    },
    {
      create: 'bad-request',
      poll: refused,
      results: { 'an id': () => respond({ status: 400, body: { ...error, id: 'job_1' } }) },
    },
    { create: 'unauthorized', poll: refused, results: each([401], refuse) },
    { create: 'no-credits', poll: refused, results: each([402], refuse) },
    { create: 'forbidden', poll: refused, results: each([403], refuse) },
  ],
};

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the table "Retries" in docs/reliability.md', () => {
  const page = readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8');
  const [, table = ''] = /\n\| What happened \|.*\n\|-.*\n((?:\|.*\n)+)/.exec(page) ?? [];
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.slice(2, -2).split(' | '));
  const titles = rows.map(([title = '']) => title);

  it('has a rule here for each row', () => {
    expect(titles.toSorted()).toEqual(Object.keys(ROWS).sort());
  });

  for (const [title, rules] of Object.entries(ROWS)) {
    describe(title, () => {
      const cases = rules.flatMap(({ results, ...ends }) =>
        Object.entries(results).map(([name, getResults]) => ({ name, getResults, ...ends })),
      );
      it.each(cases)('$name', async ({ getResults, create, poll }) => {
        const results = await getResults();
        expect(await playCreate(results.create)).toBe(create);
        expect(await describePolls(results.get)).toBe(poll);
      });
    });
  }

  it('sends again within 80 seconds, if no connection takes longer than ten', async () => {
    const { create } = await fail({ code: 'ECONNREFUSED' });
    expect(await playCreate(create, 1)).toBe('wait 2, wait 4, wait 8, wait 15, connect-failed');
  });

  it('gives a new job a minute to be found', async () => {
    const { get } = await respond({ status: 404, body: error });
    const created = createTestJob({ status: 'active' });
    expect(await describePolls(get, { created })).toBe('lost: not-found, 9 polls in 90 s');
  });

  /** Returns the row of a status: the first one that lists it, such as `404, 410` or `4xx`. */
  function findRow(status: number, isJson: boolean): string {
    const candidates = titles.filter((title) => {
      const isSent = !title.startsWith('not sent') && title !== '2xx that describes the job';
      return isSent && !(isJson && title.includes('without JSON'));
    });
    const names = [String(status), `${Math.floor(status / 100)}xx`];
    const row = candidates.find((title) => names.some((name) => title.split(/\W+/).includes(name)));
    return row ?? `no row for ${status}`;
  }

  /** Returns how a job request and polls end that always get this response, in the words above. */
  function classify(response: ApiResponse): string {
    const sent = classifySend(response);
    const read = classifyPoll(response);
    if (sent.kind === 'accepted' || read.kind === 'accept') {
      return 'success';
    }
    const isRetried = sent.kind === 'not-started' && sent.retry !== undefined;
    const create = `${isRetried ? `${fiveRetries} ` : ''}${sent.failure.code}`;
    return `${create}; ${READS[(read.pause ?? read).reason ?? 'none']}`;
  }

  it.each([true, false])('decides about every status, with a JSON error: %s', (isJson) => {
    for (let status = 200; status < 600; status += 1) {
      const rules = ROWS[findRow(status, isJson)] ?? [];
      const expected = rules.map(({ create, poll }) => `${create}; ${poll}`);
      const shown = classify(createResponse(status, { hasErrorBody: isJson }));
      expect(expected, `HTTP ${status}`).toContain(shown);
    }
  });
});
