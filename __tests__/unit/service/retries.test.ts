import { readFileSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { toConnectError } from '../../../src/http/connect-error.ts';
import {
  type ApiResult,
  type CallOptions,
  createAgentClient,
} from '../../../src/service/agent-client.ts';
import { classifyPoll, classifySend } from '../../../src/service/retry-policy.ts';
import type { Retry } from '../../../src/time/retry.ts';
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
import { createResponse, KEY } from '../fixtures.ts';

type Results = Record<'create' | 'get', ApiResult>;

/** Sends both. With `isCut`, each ends once it was sent, as its time limit would end it. */
async function ask(url: string, timeoutMs = 20_000, isCut = false): Promise<Results> {
  const baseUrl = new URL(url);
  const client = createAgentClient({ baseUrl, projectId: 'p', apiKey: KEY, redact: String });
  const limit = (): CallOptions => {
    const controller = new AbortController();
    const onSend = () => isCut && setTimeout(() => controller.abort(), 200);
    return { timeoutMs, signal: controller.signal, onSend };
  };
  const create = await client.send({ kind: 'create', prompt: 'x' }, limit());
  return { create, get: await client.getJob('job_1', limit()) };
}

async function respond(step: Step, isCut = false): Promise<Results> {
  const { url } = await scriptedService({ create: [step], get: [step] });
  return ask(url, undefined, isCut);
}

/** Asks a server that sends these bytes on each connection, over TLS. */
async function connectTo(bytes: string, timeoutMs?: number): Promise<Results> {
  const fault = bytes === '' ? faults.silence : faults.writeAndClose(Buffer.from(bytes, 'hex'));
  const { port } = await bareServer(fault);
  return ask(`https://127.0.0.1:${port}`, timeoutMs);
}

async function connectThrough(mode: ProxyMode): Promise<Results> {
  const proxy = await connectProxy(mode, 9);
  vi.stubEnv('HTTPS_PROXY', proxy.url);
  const results = await ask('https://api.example.test');
  expect(proxy.connects).toHaveLength(2);
  return results;
}

/** What Node reports if a real server would need a name service or a trusted certificate. */
async function fail(error: object): Promise<Results> {
  const { code, isTransient, message } = toConnectError(error, new URL('https://x.test'));
  const result = { kind: 'not-sent', code, isTransient, detail: message } as const;
  return { create: result, get: result };
}

/** Returns what a create request does after this result. The loop is in start-job.test.ts. */
function showSend(result: ApiResult): string {
  const sent = classifySend(result);
  if (sent.kind === 'accepted') {
    return 'success';
  }
  const retry = sent.kind === 'not-started' ? sent.retry : undefined;
  return `${sent.failure.code}${retry ? `, retry${showPause(retry)}` : ''}`;
}

/** Returns what a poll does after this result. The loop is in poll-loop.test.ts. */
function showPoll(result: ApiResult): string {
  const decision = classifyPoll(result);
  if (decision.kind === 'accept') {
    return 'success';
  }
  const { reason, pause } = decision;
  return reason ?? (pause ? `pause${showPause(pause)}` : 'retry');
}

const showPause = ({ retryAfterMs }: Retry): string =>
  retryAfterMs === undefined ? '' : ` after ${retryAfterMs / 1_000} s`;

const error = { error: 'no' };
const page = '<p>no</p>';
const record = jobRecord({ id: 'job_1', status: 'completed' });
const refusal = { body: error };
const limited = { ...refusal, headers: { 'retry-after': ['5', '60'] } };
const compressed = { 'content-encoding': 'gzip' };

function each<T extends string | number>(
  values: readonly T[],
  getResults: (value: T) => Promise<Results>,
): Cases {
  return Object.fromEntries(values.map((value) => [`${value}`, () => getResults(value)]));
}

const respondAll = (statuses: readonly number[], step: Step): Cases =>
  each(statuses, (status) => respond({ status, ...step }));

/** What a create request and a poll do, as `create; poll`, after each of these results. */
type Rules = Readonly<Record<string, Cases>>;
type Cases = Readonly<Record<string, () => Promise<Results>>>;

/** Rules for each row, by its first cell. */
const ROWS: Readonly<Record<string, Rules>> = {
  "not sent: DNS failure, refused, no connection within 10 s, TLS alert that isn't about the certificate or version, proxy unavailable or 408, 429, 5xx":
    {
      'connect-failed, retry; retry': {
        'DNS failure': () => fail({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
        refused: () => ask('http://127.0.0.1:9'),
        'no connection': () => connectTo('', 300),
        // An internal error (RFC 8446 section 6).
        'TLS alert': () => connectTo('15030300020250'),
      },
      'proxy-refused, retry; retry': {
        'proxy unavailable': () => connectThrough('hang-up'),
        ...each([408, 429, 500, 502, 503, 504, 599], connectThrough),
      },
    },
  'not sent: certificate, host name, TLS version, other status of the proxy': {
    'tls-failed; refused': {
      certificate: async () => {
        const tls = createAuthority().issue(['localhost']);
        return ask((await scriptedService({}, { tls })).url);
      },
      'host name': () => fail({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
      'TLS version': () => connectTo('15030300020246'),
    },
    'proxy-refused; refused': each([301, 400, 403, 404, 407], connectThrough),
  },
  'sent, no complete response within 60 s (poll: 30 s)': {
    'start-unknown; retry': {
      silence: () => respond({ fault: faults.silence }, true),
      reset: () => respond({ fault: faults.reset }),
      close: () => respond({ fault: faults.close }),
      'a body that stops': () => respond({ fault: faults.stallBody }, true),
    },
  },
  '2xx that describes the job': {
    'success; success': respondAll([200, 201, 202, 299], { body: record }),
  },
  'other 2xx': {
    'start-unknown; unreadable': {
      204: () => respond({ status: 204 }),
      'a page': () => respond({ status: 200, body: page }),
      'an error': () => respond({ status: 200, body: error }),
      'no status': () => respond({ status: 200, body: { id: 'job_1' } }),
      'half of a body': () => respond({ fault: faults.cutBody }),
      'no id': () => respond({ status: 200, body: { status: 'active' } }),
      compressed: () => respond({ status: 200, body: record, headers: compressed }),
      'over 1 MiB': () => respond({ status: 200, body: ' '.repeat(1_048_577) }),
    },
  },
  '302, 303, 409; any other status, if the body is a job with `id` and `status`': {
    'start-unknown; refused': {
      ...respondAll([302, 303, 409], { body: error }),
      ...respondAll([307, 400, 401], { body: { ...error, ...record } }),
    },
    'start-unknown; unreadable': respondAll([302, 409], { body: page }),
    'start-unknown; pause': respondAll([429], { body: record }),
  },
  '408, 425, 460, 499, 5xx': {
    'start-unknown; retry': respondAll([408, 425, 460, 499, 500, 502, 503, 504, 599], refusal),
    'start-unknown; pause after 60 s': respondAll([408, 503], limited),
  },
  429: {
    'rate-limited, retry; pause': {
      JSON: () => respond({ status: 429, body: error }),
      text: () => respond({ status: 429, body: 'Request quota exceeded' }),
      page: () => respond({ status: 429, body: '<p>Image credits</p>' }),
    },
    'rate-limited, retry after 60 s; pause after 60 s': respondAll([429], limited),
    'no-credits; pause': each(['credits', 'balance', 'billing', 'overages', 'plan'], (word) =>
      respond({ status: 429, body: `Out of ${word}` }),
    ),
  },
  '3xx or 4xx without JSON that has a string `error`': {
    'redirected; unreadable': respondAll([300, 301, 304, 307, 308], { body: '' }),
    'bad-request; unreadable': {
      ...respondAll([400, 405, 410, 422, 451], { body: page }),
      compressed: () => respond({ status: 400, headers: compressed }),
      'over 1 MiB': () => respond({ status: 400, body: ' '.repeat(1_048_577) }),
    },
    'unauthorized; unreadable': respondAll([401], { body: page }),
    'no-credits; unreadable': respondAll([402], { body: page }),
    'forbidden; unreadable': respondAll([403], { body: page }),
    'not-found; unreadable': {
      'a page': () => respond({ status: 404, body: page }),
      'another error': () => respond({ status: 404, body: { message: 'no' } }),
      'no text': () => respond({ status: 404, body: { error: 7 } }),
    },
  },
  '404, 410': {
    'not-found; not-found': respondAll([404], refusal),
    'bad-request; not-found': respondAll([410], refusal),
  },
  'other 3xx and 4xx': {
    'redirected; refused': {
      ...respondAll([300, 301, 307, 308], refusal),
      'an address': () => respond({ status: 307, ...refusal, headers: { location: '/job/x' } }),
    },
    'bad-request; refused': {
      ...respondAll([400, 405, 418, 422, 451], refusal),
      'an id': () => respond({ status: 400, body: { ...error, id: 'job_1' } }),
    },
    'unauthorized; refused': respondAll([401], refusal),
    'no-credits; refused': respondAll([402], refusal),
    'forbidden; refused': respondAll([403], refusal),
  },
};

afterEach(() => {
  vi.unstubAllEnvs();
});

const text = readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8');
const [, table = ''] = /\n\| What happened \|.*\n\|-.*\n((?:\|.*\n)+)/.exec(text) ?? [];
const titles = table.match(/(?<=^\| ).*?(?= \| )/gm) ?? [];

it('each row of the table "Retries" in docs/reliability.md has a rule here', () => {
  expect(titles.toSorted()).toEqual(Object.keys(ROWS).sort());
});

const cases = Object.entries(ROWS).flatMap(([title, rules]) =>
  Object.entries(rules).flatMap(([rule, results]) =>
    Object.entries(results).map(([name, getResults]) => ({ title, rule, name, getResults })),
  ),
);
it.each(cases)('$title: $rule $name', async ({ getResults, rule }) => {
  const { create, get } = await getResults();
  expect(`${showSend(create)}; ${showPoll(get)}`).toBe(rule);
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

it.each([true, false])('the table decides about every status, with a JSON error: %s', (isJson) => {
  for (let status = 200; status < 600; status += 1) {
    const rules = ROWS[findRow(status, isJson)] ?? {};
    const response = createResponse(status, { hasErrorBody: isJson });
    const shown = `${showSend(response)}; ${showPoll(response)}`;
    expect(Object.keys(rules), `HTTP ${status}`).toContain(shown);
    const withJob = createResponse(status, { hasJobBody: true });
    expect(showSend(withJob), `HTTP ${status} with a job`).toBe('start-unknown');
  }
});
