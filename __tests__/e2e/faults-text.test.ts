import { describe, expect, it } from 'vitest';
import type { ActionResult } from '../helpers/action.ts';
import { actionPlatform } from '../helpers/action-environment.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import { jobRecord, type Script, type Step } from '../helpers/servers.ts';
import {
  active,
  begin,
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
} from './faults-scenario.ts';

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

describe.concurrent('a link that is hostile or malformed', () => {
  const base = 'https://github.com/acme/docs/pull/1';

  it.each<[string, unknown, string]>([
    ['javascript:', 'javascript:alert(1)', ''],
    ['data:', 'data:text/html,<script>alert(1)</script>', ''],
    ['plain http', 'http://github.com/acme/docs/pull/1', ''],
    ['another host behind @', 'https://github.com@evil.test/acme/docs/pull/1', ''],
    ['a user and password', 'https://user:pass@github.com/acme/docs/pull/1', ''],
    ['a line break and a command', `${base}\n::set-output name=status::completed`, ''],
    ['a lone return and a command', `${base}\r##[add-mask]completed`, ''],
    ['the end of a Markdown link', `${base})](https://evil.test`, ''],
    ['a tag', `${base}"><img/src=x>`, ''],
    ['a tag with a space', `${base}"><img src=x onerror=alert(1)>`, ''],
    ['a table and code', `${base}|\`x\``, ''],
    ['a shell command', `${base}?x=$(id)`, base],
    ['upper case', 'HTTPS://GITHUB.COM/acme/docs/pull/1', base],
    ['turned around', `${base}\u202e`, ''],
    ['5 KB', `${base}${'a'.repeat(5_120)}`, ''],
    ['a number', 7, ''],
  ])('%s', async (_title, prLink, expected) => {
    const script = { get: [{ body: jobRecord({ status: 'completed', prLink }) }] };
    const { result } = await run(script, expected === '' ? withoutLink : success);
    expect(result.outputs['pr-link']).toBe(expected);
    expect(result.summary).not.toMatch(/<img|javascript:|data:text/);
    const links = expected === '' ? [repository] : [expected, repository];
    expect(listLinks(result)).toEqual(links);
    expect(listCommands(result)).toEqual([...shown, expected === '' ? 'warning' : 'notice']);
    const { notices, warnings } = result.annotations;
    expect(expected === '' ? warnings[0] : notices.at(-1)).toContain(expected === '' ? 'left out' : expected);
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
    expect(result.state).toEqual({});
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

  it('in every field of the answers of a run that succeeds', async () => {
    const create = [{ body: nastyRecord() }];
    const get = [{ body: nastyRecord() }, { body: nastyRecord({ status: 'completed', prLink: link }) }];
    const { result } = await run({ create, get }, success);
    expectInert(result, 'notice');
  });

  it('as the status', async () => {
    const body = jobRecord({ status: nasty });
    const { result } = await run({ create: [{ body }], get: [{ body }, active, { body }, opened] }, success);
    expectInert(result, 'warning', 'notice');
  });

  it('as the last status that is known', async () => {
    const get = [{ body: jobRecord({ status: nasty }) }];
    const { result } = await play({ get }, timedOut, { inputs: { 'timeout-minutes': '0.1' }, timeScale: 2 });
    expectInert(result, 'warning', 'error');
    expect(result.outputs['status']).toBe(`${nasty.slice(0, 255)}…`);
  });

  it.each<[string, Step, Ending]>([
    ['the id', { body: jobRecord({ id: nasty }) }, startUnknown],
    ['the error of 400', { status: 400, body: { error: nasty } }, notStarted('bad-request', 1)],
    ['the error of 401', { status: 401, body: { error: nasty } }, notStarted('unauthorized', 1)],
    ['the error of 403', { status: 403, body: { error: nasty } }, notStarted('forbidden', 1)],
    ['the error of 404', { status: 404, body: { error: nasty } }, notStarted('not-found', 1)],
    ['the error of 409', { status: 409, body: { error: nasty } }, notStarted('bad-request', 1)],
    ['the error of 422', { status: 422, body: { error: nasty } }, notStarted('bad-request', 1)],
    ['the error of 500', { status: 500, body: { error: nasty }, madeJob: true }, startUnknown],
    ['a page of 500', { status: 500, body: nasty, madeJob: true }, startUnknown],
    ['a page of 201', { status: 201, body: nasty }, startUnknown],
    ['headers of 302', { status: 302, headers: nastyHeaders, body: '' }, notStarted('redirected', 1)],
  ])('as %s, in the answer to a create', async (_title, step, ending) => {
    const { result } = await run({ create: [step] }, ending);
    expectInert(result, 'error');
    expect(result.outputs['job-id']).toBe('');
  });

  it('as the error of pauses that the service asks for', async () => {
    const headers = { 'retry-after': '1' };
    const create = [
      { status: 429, headers, body: { error: nasty } },
      { status: 503, headers, body: { error: nasty } },
      active,
    ];
    const get = [
      { status: 429, headers, body: { error: nasty } },
      { status: 500, body: { error: nasty } },
      opened,
    ];
    const { result } = await run({ create, get }, { ...success, creates: 3 });
    expectInert(result, 'notice');
  });

  it.each([401, 404])('as the error of gets that are answered %i', async (status) => {
    const options = { timeScale: 40, env: { RUNNER_DEBUG: '1' } };
    const { result } = await play({ get: [{ status, body: { error: nasty } }] }, lost, options);
    expectInert(result, 'error');
  });

  it('as the prompt, which the service sees as it is', async () => {
    const { service, result } = await run({ get: [opened] }, success, { prompt: nasty });
    expectInert(result, 'notice');
    expect(JSON.parse(String(service.seen('create')[0]?.body))).toEqual({ prompt: nasty.trim() });
  });

  it('as the project id and in invalid inputs', async () => {
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

  it('as a project id that is one name', async () => {
    const { service, result } = await run({ get: [opened] }, success, { 'project-id': '::stop-commands::t' });
    expectInert(result, 'notice');
    expect(service.seen('create')[0]?.path).toBe('/v2/agent/%3A%3Astop-commands%3A%3At/job');
  });
});

describe.concurrent('a service that echoes the key', () => {
  const percent = Buffer.from(key).toString('hex').replace(/../g, '%$&');
  const forms = {
    raw: key,
    'the header': `Bearer ${key}`,
    base64: btoa(key),
    'base64 of the header': btoa(`Bearer ${key}`),
    'base64 of a user': btoa(`me:${key}`),
    base64url: Buffer.from(`??>${key}`).toString('base64url'),
    'percent-encoded': percent,
    'percent-encoded in part': key.replace('_', '%5F'),
    'joined to other letters': `abc${key}def`,
  };
  const everyForm = Object.values(forms).join(' ');

  const atTheEnd = `${'a'.repeat(300 - 12)}${key}`;

  const [first, last] = [key.slice(0, 12), key.slice(-12)];
  const pieces = {
    'all but the last three characters': key.slice(0, -3),
    'all but the first three characters': key.slice(3),
    'the first twelve': first,
    'the last twelve': last,
    'the middle': key.slice(6, -6),
    'the first twelve in hex': Buffer.from(first).toString('hex'),
    'the last twelve in base64': btoa(last),
    'the last twelve of the header in base64': btoa(`Bearer ${first}`),
    'the middle in base64url': Buffer.from(`?>${key.slice(4, -4)}`).toString('base64url'),
    'the last twelve, percent-encoded': Buffer.from(last).toString('hex').replace(/../g, '%$&'),
    'the first twelve, percent-encoded in part': first.replace('_', '%5f'),
  };

  it.each(Object.entries({ ...forms, ...pieces }))(
    '%s, in everything that it sends',
    async (_title, piece) => {
      const headers = { 'x-note': piece, 'content-type': `application/json; note=${piece}` };
      const error = { headers, body: { error: `no: ${piece}` } };
      const pause = { ...error, headers: { ...headers, 'retry-after': '1' } };
      const record = (status: string): Step => ({
        headers,
        body: jobRecord({
          status,
          source: { repository: `https://github.com/acme/${piece}`, ref: piece, [piece]: 1 },
          model: piece,
          prLink: `https://github.com/acme/${piece}/pull/1`,
          createdAt: piece,
          archivedAt: piece,
          extra: { [piece]: [piece, { deep: `x${piece}x` }] },
          text: `begin ${first}`,
          more: `${last} end`,
        }),
      });
      const create = [{ status: 429, ...pause }, record('active')];
      const get = [{ status: 500, ...error }, { status: 429, ...pause }, record(piece), record('completed')];
      const { result } = await run({ create, get }, { ...withoutLink, creates: 2 });
      expect(result.outputs['job']).toContain('***');
    },
  );

  it.each(Object.entries(pieces))('%s, as an error', async (_title, piece) => {
    const create = [{ status: 400, body: { error: `no: ${piece}` } }];
    const { result } = await run({ create }, notStarted('bad-request', 1));
    expect(result.annotations.errors[0]).toMatch(/no: .*\*\*\*/);
  });

  it.each<[string, Step, Ending, string]>([
    [
      'in every form',
      { status: 400, body: { error: `no: ${everyForm}` } },
      notStarted('bad-request', 1),
      'no: ***',
    ],
    ['where it is cut', { status: 400, body: { error: atTheEnd } }, notStarted('bad-request', 1), 'aaaa'],
    ['as the id', { body: jobRecord({ id: key }) }, startUnknown, 'job'],
  ])('%s, in the answer to a create', async (_title, step, ending, text) => {
    const { result } = await run({ create: [step] }, ending);
    expect(result.annotations.errors[0]).toContain(text);
  });

  it('in the answers to polls', async () => {
    const get = [
      { status: 500, body: { error: everyForm } },
      { status: 429, headers: { 'retry-after': '1' }, body: { error: everyForm } },
      { status: 502, headers: { 'content-type': 'text/html', 'x-key': key }, body: everyForm },
      { status: 401, body: { error: everyForm } },
    ];
    const { service, result } = await run({ get }, lost);
    expect(service.seen('get')).toHaveLength(4);
    expect(result.annotations.errors[0]).toContain('***');
  });

  it('and a prompt that holds it in base64: refused, or shown without it', async () => {
    const inputs = { prompt: `Use ${btoa(key)}.`, 'dry-run': 'true' };
    const result = await begin('http://127.0.0.1:9', { inputs }).action.ended;
    expectInvariants(result, { key, creates: 0, jobs: 0 });
  });
});
