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

it('the first workflow has at most thirty lines, and is in the README as it stands', () => {
  const text = examples.find(({ path }) => path === 'examples/docs.yml')?.text ?? '';
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  expect(readFileSync(`${root}README.md`, 'utf8')).toContain(`\`\`\`yaml\n${text}\`\`\`\n`);
});
