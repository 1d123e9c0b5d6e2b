import { expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { silence } from '../helpers/faults.ts';
import { setUp } from '../helpers/github.ts';
import { acceptJob, attempt } from '../helpers/record.ts';
import { scriptedService } from '../helpers/scripted-service.ts';

const refusal = { status: 402, body: { error: 'Out of credits' } };

it('an attempt after two that were killed sends nobody to the summary of one of them', async () => {
  const service = await scriptedService({ create: [{ fault: silence }, refusal, acceptJob(2)] });
  const dropped = { kind: 'dropped' } as const;
  const { start, github } = await setUp(
    {},
    { faults: [{ path: /statuses/, method: 'GET', calls: [3], fault: dropped }] },
  );
  const run = (number: number) =>
    start({ 'base-url': service.url, wait: 'false' }, attempt(number));

  const starting = run(1);
  await eventually(() => expect(service.creates).toBe(1), starting);
  await starting.signal('SIGKILL');
  const claiming = run(2);
  await eventually(() => expect(github.count(/statuses/, 'GET')).toBe(3), claiming);
  await claiming.signal('SIGKILL');

  const { summary } = await run(3).ended;
  expect(summary).toContain("Don't re-run yet. Attempt 2 may have started a job");
  expect(summary).not.toContain('there is none');
  expect(summary).not.toContain('from after');
});
