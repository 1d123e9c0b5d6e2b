import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readExamples, root } from '../../../scripts/tools.ts';

const examples = readExamples();

describe.each(examples)('$path', ({ path, text }) => {
  it('is linked from the recipes', () => {
    expect(readFileSync(`${root}docs/recipes.md`, 'utf8')).toContain(`](../${path})`);
  });

  it('has no default prompt, so that a click alone starts no paid job', () => {
    const { on } = parse(text) as { on: Record<string, { inputs?: object } | null> };
    for (const trigger of ['workflow_dispatch', 'workflow_call']) {
      expect(on[trigger]?.inputs ?? {}).not.toHaveProperty('prompt.default');
    }
  });
});

it('the README begins with a short form of the first workflow', () => {
  const text = examples.find(({ path }) => path === 'examples/docs.yml')?.text ?? '';
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  const [intro = '', block = ''] = readFileSync(`${root}README.md`, 'utf8').split('```yaml\n');
  const [short = ''] = block.split('```');
  expect(`${intro}${short}`.split('\n').length).toBeLessThanOrEqual(25);
  const { on, jobs } = parse(short);
  const { permissions, steps } = jobs.docs;
  const full = parse(text);
  expect(full.on).toMatchObject(on);
  expect(full.jobs.docs.permissions).toEqual(permissions);
  expect(full.jobs.docs.steps[0].uses).toBe(steps[0].uses);
  expect(Object.keys(full.jobs.docs.steps[0].with)).toEqual(
    expect.arrayContaining(Object.keys(steps[0].with)),
  );
});
