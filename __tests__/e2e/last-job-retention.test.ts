import { describe, expect, it } from 'vitest';
import { toSha } from '../github/repository.ts';
import { commit, setUpNights } from '../helpers/nights.ts';
import { readFields } from '../helpers/record.ts';

// GitHub deletes the record of a job. By default, it keeps it for 90 days, and the workflow is new.
const stories: Readonly<Record<string, string>> = {
  'nights without a change renew it':
    'c0 marked, rest 46, c0 skipped, rest 46, c0 skipped, rest 46, c1 opened c0',
  'nights without a match renew it':
    'later: c0 marked, c1 skipped, rest 46, c1 skipped, rest 46, c2 skipped, rest 46, c3 opened c2',
  'nights that wait for a pull request renew it':
    'skip: c0 marked, c1 opened c0, rest 46, c2 skipped, rest 46, c3 skipped, rest 46, c4 skipped, ' +
    'pull merged, c5 opened c1',
  'jobs that fail renew it':
    'failing: c0 marked, c1 job-failed c0, rest 46, c2 job-failed c0, rest 46, c3 job-failed c0, ' +
    'rest 89, c4 job-failed c0',
  'after a longer rest, a schedule stops until a person says that it is the first run':
    'c0 marked, c1 opened c0, rest 91, c2 changes-unknown, c2+again skipped, c3 opened c2',
  'after a longer rest, a push begins at the commit before it, also in a re-run':
    'push: c0 marked, c1 opened c0, rest 91, c3 opened c2, c4 opened c3, rest 365, ' +
    'c5+retry opened c4',
  'after a push that failed, the next one begins at its start':
    'failing+push: c0 marked, rest 91, c2 job-failed c1, c3 job-failed c1',
  'two first runs at once lose nothing': 'c1 marked, c0 marked, c2 opened c0',
  'a new package in an old workflow stops, and then continues where the others are':
    'c0+core marked, c1+core opened c0, rest 46, c2+core opened c1, c4+late changes-unknown, ' +
    'c4+late+again opened c2',
};

it.concurrent.each(Object.entries(stories))('%s', async (_, story) => {
  await (await setUpNights({}, { pull: 'open' })).tell(story);
});

it.concurrent.each([
  ['1', 0, 'c0 skipped, rest 2, c1 changes-unknown'],
  ['3', 0, 'c0 marked, c1 opened c0, rest 2, c1 skipped, rest 2, c2 opened c1'],
  ['3', 0, 'c0 marked, c1 opened c0, rest 7, c2 changes-unknown'],
  ['7', 1_000, 'c0 changes-unknown, c0+dry changes-unknown, c0+again skipped, c1 opened c0'],
  ['90', 1_000, 'push: c1 opened c0, c2 opened c1'],
  ['90', 1, 'push: c1+dry dry-run, c1 skipped, c2 opened c1'],
  ['400', 100, 'c0 skipped, rest 365, c1 opened c0'],
  ['', 1_000, 'c0 skipped, rest 91, c1 opened c0'],
  ['0', 1_000, 'c0 skipped, rest 91, c1 opened c0'],
  ['abc', 1_000, 'c0 skipped, rest 91, c1 opened c0'],
])('a retention of "%s" days, and a workflow of %s: %s', async (retention, fileAge, story) => {
  await (await setUpNights({}, { retention, fileAge })).tell(story);
});

describe.concurrent('a record', () => {
  it('is renewed once in half of its time', async () => {
    const { tell, statuses } = await setUpNights();
    await tell('c0 marked, c0 skipped, rest 46, c0 skipped, c0 skipped, rest 30, c0 skipped');
    expect(statuses[toSha('c0')]).toHaveLength(2);
    await tell('rest 16, c0+dry dry-run');
    expect(statuses[toSha('c0')]).toHaveLength(1);
    await tell('c0 skipped, c0 skipped');
    expect(statuses[toSha('c0')]).toHaveLength(2);
  });

  it('that is half deleted hides nothing', async () => {
    const { tell, statuses } = await setUpNights();
    await tell('c0 marked, c1 opened c0');
    const all = statuses[toSha('c1')] ?? [];
    const has = (state: string) =>
      all.filter((_, index) => readFields(all)[index]?.['state'] === state);
    statuses[toSha('c0')] = [];
    statuses[toSha('c1')] = has('starting');
    await tell('c2+dry dry-run, c2 opened c0');
    statuses[toSha('c2')] = [];
    statuses[toSha('c1')] = has('job').map(
      ({ created_at: _, ...one }) => one as (typeof all)[number],
    );
    await tell('c3 opened c1');
  });

  it('that GitHub hides once is found by the next run', async () => {
    const { tell, statuses } = await setUpNights();
    await tell('c0 marked, c1 opened c0');
    const hidden = { ...statuses };
    for (const sha of Object.keys(hidden)) {
      statuses[sha] = [];
    }
    await tell('c2 skipped');
    Object.assign(statuses, hidden);
    await tell('c3 opened c1');
  });

  it('is none in another repository, so a required workflow is not new', async () => {
    const { play } = await setUpNights();
    const GITHUB_WORKFLOW_REF = 'acme/rules/.github/workflows/docs.yml@refs/heads/main';
    const { end, annotations } = await play('c0', { GITHUB_WORKFLOW_REF });
    expect([end, annotations.errors.join()]).toEqual([
      'changes-unknown',
      expect.stringMatching(/after 90 days\. Documented up to here\? Re-run to count from here\. /),
    ]);
  });
});

describe.concurrent('a record behind the last 1,000 commits', () => {
  const commits = Array.from({ length: 1_010 }, (_, index) => commit(`n${index}`));

  it('is possible in a new workflow that is older than they are', async () => {
    const { play, tell } = await setUpNights({}, { commits, addedBy: 'n5' });
    await tell('n2 marked, n3 opened n2');
    const { end, annotations } = await play('n1009');
    expect([end, annotations.errors.join()]).toEqual([
      'changes-unknown',
      expect.stringContaining('There is none in the last 1000 commits'),
    ]);
  });

  it('is not possible if they added the workflow', async () => {
    const { tell } = await setUpNights({}, { commits, addedBy: 'n900' });
    await tell('n1009 skipped');
  });

  it('is possible where GitHub deletes nothing', async () => {
    const { tell } = await setUpNights({}, { commits, addedBy: 'n5', retention: '' });
    await tell('n1009 changes-unknown, n1009+again skipped');
  });
});

it.concurrent('a push that begins before itself without a record warns once', async () => {
  const { play } = await setUpNights({}, { fileAge: 1_000 });
  const first = await play('c1+push');
  const second = await play('c2+push');
  const warning = expect.stringContaining('No earlier job is on record, so the changes begin at');
  expect([first.annotations.warnings, second.annotations.warnings]).toEqual([[warning], []]);
});
