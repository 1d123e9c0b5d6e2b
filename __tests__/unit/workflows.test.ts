import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { parseAction } from '@actions/workflow-parser/actions/action-parser';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseExamples, readExamples } from '../../scripts/examples.ts';
import { OUTCOMES } from './fixtures.ts';

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}
interface Job {
  'timeout-minutes'?: number;
  permissions?: Record<string, string>;
  steps: Step[];
}
interface Workflow {
  on: Record<string, unknown>;
  permissions?: Record<string, string>;
  concurrency?: { group: string; 'cancel-in-progress'?: boolean };
  jobs: Record<string, Job>;
}
interface Source {
  name: string;
  text: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string =>
  readFileSync(new URL(path, new URL('../../', import.meta.url)), 'utf8');
const workflows: Source[] = readdirSync(new URL('../../.github/workflows', import.meta.url)).map((file) => ({
  name: file,
  text: read(`.github/workflows/${file}`),
}));
const examples = readExamples(root).map((example) => ({
  ...example,
  name: `${example.file}: ${example.name}`,
}));
const action = parse(read('action.yml')) as { inputs: Record<string, unknown> };
const isThisAction = (uses = ''): boolean =>
  /^(?:\.|OWNER\/docs-agent-action)\/?(?:node24)?(?:@|$)/.test(uses);
const jobsOf = (text: string): [string, Job][] => Object.entries((parse(text) as Workflow).jobs);
const stepsOf = (text: string): Step[] => jobsOf(text).flatMap(([, job]) => job.steps);

describe('both declarations of the action', () => {
  it.each(['action.yml', 'node24/action.yml'])('%s is valid', (name) => {
    const { context } = parseAction({ name, content: read(name) }, new NoOperationTraceWriter());
    expect(context.errors.getErrors().map(String)).toEqual([]);
  });

  it('a wrong one would be found', () => {
    const content = read('action.yml').replace('using: node20', 'using: node20\n  mian: index.js');
    const { context } = parseAction({ name: 'action.yml', content }, new NoOperationTraceWriter());
    expect(context.errors.getErrors()).not.toEqual([]);
  });

  it('differ in the version of Node and in the path to the same bundle only', () => {
    const [one, other] = ['action.yml', 'node24/action.yml'].map((path) => read(path).split('\n'));
    expect(other).toHaveLength(one?.length ?? 0);
    expect(other?.filter((line, index) => line !== one?.[index])).toEqual([
      '  using: node24',
      '  main: ../dist/index.js',
    ]);
  });
});

describe.each([...workflows, ...examples])('$name', ({ name, text }) => {
  it('is a valid workflow', () => {
    const { context } = parseWorkflow({ name, content: text }, new NoOperationTraceWriter());
    expect(context.errors.getErrors().map(String)).toEqual([]);
  });

  it('starts with no permissions, and limits the time of every workflow job', () => {
    expect((parse(text) as Workflow).permissions).toEqual({});
    for (const [id, job] of jobsOf(text)) expect(job['timeout-minutes'], id).toBeGreaterThan(0);
  });

  it('limits how many of it run at once', () => {
    expect((parse(text) as Workflow).concurrency?.group).toEqual(expect.any(String));
  });

  it('has no trigger that gives strangers a token or secrets', () => {
    const triggers = Object.keys((parse(text) as Workflow).on);
    const risky = ['pull_request_target', 'workflow_run', 'issues', 'issue_comment', 'discussion'];
    expect(triggers.filter((trigger) => risky.includes(trigger))).toEqual([]);
  });

  it('puts no expression into a script', () => {
    const scripts = stepsOf(text).flatMap(({ run }) => run ?? []);
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });

  it('gives the action only inputs that it has', () => {
    const given = stepsOf(text).flatMap(({ uses, with: inputs = {} }) =>
      isThisAction(uses) ? Object.keys(inputs) : [],
    );
    expect(given.filter((input) => !(input in action.inputs))).toEqual([]);
  });
});

describe('the workflows of the repository', () => {
  const uses = workflows.flatMap(({ text }) =>
    [...text.matchAll(/^\s*(?:- )?uses: *(.*)$/gm)].map(([, value = '']) => value),
  );
  const remote = uses.filter((value) => !value.startsWith('./'));

  it.each([...new Set(remote)])('pin %s by its commit, with its version', (value) => {
    expect(value).toMatch(/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('use one version of each action', () => {
    const pins = new Map<string, Set<string>>();
    for (const value of remote) {
      const [, repository = '', pin = ''] = /^([\w.-]+\/[\w.-]+)[^@]*@(.*)$/.exec(value) ?? [];
      pins.set(repository, (pins.get(repository) ?? new Set()).add(pin));
    }
    expect([...pins].filter(([, versions]) => versions.size > 1)).toEqual([]);
  });

  it.each(workflows)('$name states the permissions of each workflow job', ({ text }) => {
    for (const [id, job] of jobsOf(text)) expect(job.permissions, id).toBeDefined();
  });

  it.each(workflows)('$name leaves no credentials behind a checkout', ({ text }) => {
    const checkouts = stepsOf(text).filter((step) => step.uses?.startsWith('actions/checkout@'));
    for (const checkout of checkouts) expect(checkout.with?.['persist-credentials']).toBe(false);
  });

  it.each(OUTCOMES)('the self-test sees the outcome %s', (outcome) => {
    const selfTest = workflows.find(({ name }) => name === 'self-test.yml')?.text ?? '';
    expect(selfTest).toMatch(new RegExp(`outcome: .*\\b${outcome}\\b`));
  });
});

describe('ci.yml', () => {
  it('tests on every system with every Node', () => {
    const { jobs } = parse(read('.github/workflows/ci.yml')) as {
      jobs: Record<string, { strategy?: { matrix: unknown } }>;
    };
    expect(jobs['test']?.strategy?.matrix).toEqual({
      os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
      node: [20, 22, 24],
    });
  });
});

describe('parseExamples', () => {
  const start = '<!-- example: a.yml -->\n';

  it('returns what stands in the code fence', () => {
    const markdown = `# A\n${start}\`\`\`yaml\non: push\n\`\`\`\n<!-- end example -->\n`;
    expect(parseExamples('a.md', markdown)).toEqual([{ name: 'a.yml', file: 'a.md', text: 'on: push\n' }]);
  });

  it.each([
    ['is not closed', `${start}\`\`\`yaml\non: push\n\`\`\`\n`],
    ['is no code', `${start}on: push\n<!-- end example -->\n`],
  ])('throws for one that %s', (_, markdown) => {
    expect(() => parseExamples('a.md', markdown)).toThrow('a.md: the example a.yml');
  });
});

describe('the documentation workflow', () => {
  const own = parse(read('.github/workflows/docs.yml')) as Workflow;
  const example = parse(examples.find(({ name }) => name === 'README.md: docs.yml')?.text ?? '') as Workflow;
  const findStep = (workflow: Workflow): Step | undefined =>
    Object.values(workflow.jobs)[0]?.steps.find(({ uses }) => isThisAction(uses));

  it('does what the README recommends: change both together', () => {
    expect(own.on).toEqual(example.on);
    expect(own.concurrency?.group).toBe(example.concurrency?.group);
    expect(own.jobs['docs']?.['timeout-minutes']).toBe(example.jobs['docs']?.['timeout-minutes']);
    const { 'base-url': baseUrl, ...inputs } = findStep(own)?.with ?? {};
    expect(inputs).toEqual(findStep(example)?.with);
    expect(baseUrl).toMatch(/^\$\{\{ vars\.DOCS_AGENT_BASE_URL \}\}$/);
    const isOwn = ({ uses }: Step): boolean => !isThisAction(uses) && !uses?.startsWith('actions/checkout@');
    expect(own.jobs['docs']?.steps.filter(isOwn)).toEqual(example.jobs['docs']?.steps.filter(isOwn));
  });
});

describe('dependabot.yml', () => {
  const { updates } = parse(read('.github/dependabot.yml')) as {
    updates: { 'package-ecosystem': string; cooldown?: { 'default-days'?: number }; groups?: unknown }[];
  };

  it('covers what the repository uses', () => {
    expect(updates.map((update) => update['package-ecosystem'])).toEqual(['npm', 'github-actions']);
  });

  it.each(updates)('waits for and groups the updates of $package-ecosystem', ({ cooldown, groups }) => {
    expect(cooldown?.['default-days']).toBeGreaterThanOrEqual(7);
    expect(groups).toBeDefined();
  });
});
