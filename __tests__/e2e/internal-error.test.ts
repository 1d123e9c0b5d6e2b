import { describe, expect, it } from 'vitest';
import { faults, type Script, scriptedService } from '../helpers/servers.ts';
import {
  begin,
  type Ending,
  failInside,
  jobId,
  key,
  link,
  lost,
  notStarted,
  opened,
  play,
  startUnknown,
  success,
} from './scenario.ts';

const nasty = 'x\r::set-output name=a::b\n##[add-mask]completed ::echo::on';
const toOptions = (kind: string) => failInside(kind, `${nasty} ${key}`);

describe.concurrent('an error inside the process', () => {
  const sanitized = /: :set-output.*# #\[add-mask\]completed.*\*\*\*/;
  const named = new RegExp(`Internal error: x.*${sanitized.source}`);
  const crashed = { ...lost, code: 'internal' };
  const busy = { status: 429, headers: { 'retry-after': '1' }, body: { error: 'busy' } };
  const unknown = { ...startUnknown, code: 'internal' };
  const creating = { create: [{ fault: faults.silence }] };
  const waiting = { get: [{ fault: faults.silence }] };

  it.each<[string, string, Script, Ending, RegExp]>([
    ['an error is thrown during the create', 'throw:1:10000', creating, unknown, named],
    ['an error is thrown during the wait', 'throw:2', waiting, crashed, sanitized],
    ['a promise is rejected without an error', 'reject-odd:2', waiting, crashed, /unknown/i],
    ['a sleep never settles', 'no-sleep', {}, crashed, /stopped without a result/],
    ['a pause never settles', 'no-sleep', { create: [busy] }, notStarted('internal', 1), /stopped/],
  ])('is reported when %s', async (_title, kind, script, ending, reason) => {
    const service = await scriptedService(script);
    const url = service.url.replace('127.0.0.1', 'localhost');
    const result = await begin(url, toOptions(kind)).end(service, ending);
    expect(result.annotations.errors[0]).toMatch(reason);
    expect(result.outputs['job-id']).toBe(ending === crashed ? jobId : '');
  });

  it('does not change an outcome that is already written', async () => {
    const { result } = await play({ get: [opened] }, success, toOptions('throw:outcome'));
    expect(result.stdout).toContain('thrown after the outcome');
    expect(result.annotations.notices.at(-1)).toContain(link);
  });
});

it('a run says that its Node is too old, and starts no job', async () => {
  const service = await scriptedService();
  const { exitCode, annotations } = await begin(service.url, toOptions('old-node')).action.ended;
  expect({ exitCode, creates: service.creates }).toEqual({ exitCode: 1, creates: 0 });
  expect(annotations.errors).toEqual([expect.stringContaining('needs Node 20 or later')]);
});
