import { describe, expect, it } from 'vitest';
import type { ActionResult } from '../../harness/action.ts';
import { actionPlatform } from '../../harness/action-environment.ts';
import { jobRecord, type Script, type Step } from '../helpers/servers.ts';
import {
  active,
  type Ending,
  failed,
  key,
  link,
  lost,
  notStarted,
  opened,
  type Played,
  play,
  startUnknown,
  success,
  timedOut,
  withoutLink,
} from './scenario.ts';

/** With step debugging on, so that each poll is shown, too. */
async function run(script: Script, ending: Ending, inputs: Record<string, string> = {}): Promise<Played> {
  return await play(script, ending, { inputs, env: { RUNNER_DEBUG: '1' } });
}

/** The commands of a run except those that show a poll, or that let a re-run find the job. */
function listCommands({ commands }: ActionResult): string[] {
  const marker = /\[docs-agent-job v1 [^\]]+ fingerprint [0-9a-f]{32}\]$/;
  return commands
    .filter(({ name, data }) => name !== 'debug' && !(name === 'notice' && marker.test(data)))
    .map(({ name }) => name);
}

/** Where the Markdown links of the summary lead, the prompt left out. */
function listLinks({ summary = '' }: ActionResult): string[] {
  const text = summary.replace(/<pre>[\s\S]*<\/pre>/, '');
  return [...text.matchAll(/\]\((.*?)\)/g)].map(([, target = '']) => target);
}

/** The dollar signs of the summary with which a formula could begin: not in code, and not alone in an element. */
function listFormulas({ summary = '' }: ActionResult): string[] {
  const text = summary.replace(/<pre>[\s\S]*<\/pre>/, '').replace(/(?<!\\)`[^`]*`/g, '');
  return text.replaceAll('<span>$</span>', '').match(/\$.*/g) ?? [];
}

const repository = 'https://github.com/acme/docs';
const shown = ['add-mask', 'group', 'endgroup'];

// Which links are refused is in the test of `sanitizeLink`.
describe.concurrent('a link', () => {
  const base = 'https://github.com/acme/docs/pull/1';

  it.each<[string, string]>([
    ['a scheme that runs code', 'javascript:alert(1)'],
    ['the end of a Markdown link', `${base})](https://evil.test`],
  ])('with %s is left out', async (_title, prLink) => {
    const script = { get: [{ body: jobRecord({ status: 'completed', prLink }) }] };
    const { result } = await run(script, withoutLink);
    expect(result.outputs['pr-link']).toBe('');
    expect(result.summary).not.toContain('javascript:');
    expect(listLinks(result)).toEqual([repository]);
    expect(listCommands(result)).toEqual([...shown, 'warning']);
    expect(result.annotations.warnings[0]).toContain('left out');
  });

  it('in upper case with a shell command is made canonical and cut', async () => {
    const prLink = 'HTTPS://GITHUB.COM/acme/docs/pull/1?x=$(id)';
    const { result } = await run({ get: [{ body: jobRecord({ status: 'completed', prLink }) }] }, success);
    expect(result.outputs['pr-link']).toBe(base);
    expect(listLinks(result)).toEqual([base, repository]);
    expect(listCommands(result)).toEqual([...shown, 'notice']);
    expect(result.annotations.notices.at(-1)).toContain(base);
  });
});

const nasty = [
  '$x$ $$y$$ $`z`$\r::set-output name=status::completed\n##[add-mask]completed ::stop-commands::t',
  '\n::add-mask::completed\r\n::error::gotcha\u2028::notice::gotcha\u0085::warning::gotcha',
  '\n:\u200b:save-state name=a::b\n#\u00ad#[set-env name=PATH]/tmp\n\t ::add-path::/tmp',
  '\n::endgroup::\n::echo::on\n%0A::error::gotcha%0D##[error]gotcha',
  '</details>\n# Title\n| a | b |\n[click](https://evil.test) <img src=x> ```\n',
].join('');

const nastyText = nasty.replaceAll(/[^\t\x20-\x7e]/g, ' ');
const nastyHeaders = { 'content-type': nastyText, 'x-note': nastyText, location: nastyText };

/** A record in which every text but the id and the status is hostile. */
function nastyRecord(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return jobRecord({
    source: { repository: nasty, ref: nasty, [nasty]: nasty },
    model: nasty,
    prLink: nasty,
    createdAt: nasty,
    archivedAt: nasty,
    [nasty]: nasty,
    ...changes,
  });
}

describe.concurrent('hostile text', () => {
  /** Checks that nothing but what we mean to say is a command, a link or a tag. */
  function expectInert(result: ActionResult, ...commands: string[]): void {
    expect(listCommands(result)).toEqual([...shown, ...commands]);
    // The toolkit ends commands with the line end of the platform.
    expect(result.stdout).not.toMatch(actionPlatform === 'win32' ? /\r(?!\n)/ : /\r/);
    expect(result.summary).not.toContain('<img');
    expect(listLinks(result)).not.toContain('https://evil.test');
    expect(listFormulas(result)).toEqual([]);
  }

  it('in every field of a job that failed', async () => {
    const { result } = await run({ get: [{ body: nastyRecord({ status: 'failed' }) }] }, failed);
    expectInert(result, 'error');
    expect(result.outputs).toMatchObject({
      'pr-link': '',
      'source-repository': '',
      'source-ref': '',
      model: '',
      'created-at': '',
      'archived-at': '',
    });
    expect(JSON.parse(result.outputs['job'] ?? '')).toEqual(nastyRecord({ status: 'failed' }));
  });

  it('in every answer of a run that succeeds', async () => {
    const busy = { status: 429, headers: { 'retry-after': '1' }, body: { error: nasty } };
    const create = [busy, { ...busy, status: 503 }, { body: nastyRecord({ status: nasty }) }];
    const get = [
      busy,
      { status: 500, body: { error: nasty } },
      active,
      { body: nastyRecord({ status: nasty }) },
      { body: nastyRecord({ status: 'completed', prLink: link }) },
    ];
    const { result } = await run({ create, get }, { ...success, creates: 3 });
    expectInert(result, 'warning', 'notice');
  });

  it('as the last status that is known', async () => {
    const steps = [{ body: jobRecord({ status: nasty }) }];
    const options = { inputs: { 'timeout-minutes': '0.2' }, timeScale: 2 };
    const { result } = await play({ create: steps, get: steps }, timedOut, options);
    expectInert(result, 'warning', 'error');
    expect(result.outputs['status']).toBe(`${nasty.slice(0, 255)}…`);
  });

  it.each<[string, Step, Ending]>([
    ['the id', { body: jobRecord({ id: nasty }) }, startUnknown],
    ['the error of 409', { status: 409, body: { error: nasty } }, notStarted('bad-request', 1)],
    ['the error of 500', { status: 500, body: { error: nasty }, madeJob: true }, startUnknown],
    ['a page of 201', { status: 201, body: nasty }, startUnknown],
    ['headers of 301', { status: 301, headers: nastyHeaders, body: '' }, notStarted('redirected', 1)],
  ])('as %s, in the answer to a create', async (_title, step, ending) => {
    const { result } = await run({ create: [step] }, ending);
    expectInert(result, 'error');
    expect(result.outputs['job-id']).toBe('');
  });

  it('as the error of a get that is refused', async () => {
    const { result } = await run({ get: [{ status: 401, body: { error: nasty } }] }, lost);
    expectInert(result, 'error');
  });

  it('as the prompt and the project id, which the service sees as they are', async () => {
    const inputs = { prompt: nasty, 'project-id': '::stop-commands::t' };
    const { service, result } = await run({ get: [opened] }, success, inputs);
    expectInert(result, 'notice');
    const [create] = service.seen('create');
    expect(create?.path).toBe('/v2/agent/%3A%3Astop-commands%3A%3At/job');
    expect(JSON.parse(String(create?.body))).toEqual({ prompt: nasty.trim() });
  });

  it('in inputs that are invalid', async () => {
    const { service, result } = await run({}, notStarted('invalid-input'), {
      'project-id': `::set-output name=a::${nasty}`,
      'job-id': nasty,
      'base-url': nasty,
      wait: nasty,
      'timeout-minutes': nasty,
      'poll-interval-seconds': nasty,
      'dry-run': nasty,
    });
    expect(listCommands(result)).toEqual(['error']);
    expect(service.connections).toBe(0);
  });
});

// Every form of the key is also in the test of `createRedactor`.
describe.concurrent('a service that echoes the key', () => {
  const [first, last] = [key.slice(0, 12), key.slice(-12)];
  const forms = {
    raw: key,
    'base64 of the header': btoa(`Bearer ${key}`),
    base64url: Buffer.from(`??>${key}`).toString('base64url'),
    'percent-encoded in part': key.replace('_', '%5F'),
    'all but the last three characters': key.slice(0, -3),
    'the first twelve in hex': Buffer.from(first).toString('hex'),
    'the last twelve, percent-encoded': Buffer.from(last).toString('hex').replace(/../g, '%$&'),
  };
  const all = Object.values(forms);
  const error = { error: `no: ${all.join(' ')}` };
  /** An error of which so many characters are shown, the last ones of them from the key. */
  const cutAt = (limit: number) => 'a'.repeat(limit - 'HTTP 401: '.length - 12) + key;

  it.each(Object.entries(forms))('%s, in everything that it sends', async (_title, piece) => {
    const headers = { 'x-note': piece, 'content-type': `application/json; note=${piece}` };
    const failure = { headers, body: { error: `no: ${piece}` } };
    const pause = { ...failure, status: 429, headers: { ...headers, 'retry-after': '1' } };
    const record = (status: string): Step => ({
      headers,
      body: jobRecord({
        status,
        source: { repository: `https://github.com/acme/${piece}`, ref: piece, [piece]: 1 },
        model: piece,
        prLink: `https://github.com/acme/${piece}/pull/1`,
        createdAt: piece,
        archivedAt: piece,
        extra: { [piece]: [piece, { deep: `x${piece}x` }], all },
        text: `begin ${first}`,
        more: `${last} end`,
      }),
    });
    const create = [pause, record('active')];
    const get = [{ status: 500, ...failure }, pause, record(piece), record('completed')];
    const { result } = await run({ create, get }, { ...withoutLink, creates: 2 });
    expect(result.outputs['job']).toContain('***');
  });

  it('in every form, as the error of a create', async () => {
    const { result } = await run({ create: [{ status: 400, body: error }] }, notStarted('bad-request', 1));
    const forEach = all.map(() => String.raw`\S*\*\*\*\S*`).join(' ');
    expect(result.annotations.errors[0]).toMatch(new RegExp(`no: ${forEach}`));
  });

  it('as the id', async () => {
    const { result } = await run({ create: [{ body: jobRecord({ id: key }) }] }, startUnknown);
    expect(result.annotations.errors[0]).toContain('job');
  });

  it('in every form and where it is cut, in the answers to polls', async () => {
    const get = [
      { status: 500, body: error },
      { status: 429, headers: { 'retry-after': '1' }, body: error },
      { status: 502, headers: { 'content-type': 'text/html', 'x-key': key }, body: all.join(' ') },
      { status: 500, body: { error: cutAt(200) } },
      { status: 401, body: { error: cutAt(300) } },
    ];
    const { service, result } = await run({ get }, lost);
    expect(service.seen('get')).toHaveLength(get.length);
    expect(result.annotations.errors[0]).toContain('aaaa');
  });
});
