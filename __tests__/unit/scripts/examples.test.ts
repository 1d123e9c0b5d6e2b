import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { changeWorkflow, parseExamples } from '../../../scripts/examples.ts';

const workflow = `
on:
  push:
    tags: ['v*']
jobs:
  docs:
    runs-on: ubuntu-latest
    permissions:
      statuses: write
    steps:
      - id: docs
        uses: some/action@v1
        with:
          prompt: Write
          wait: true
`;

/** Returns the workflow above with changes. */
function change(changes: object) {
  return parse(changeWorkflow(workflow, JSON.stringify(changes)));
}

describe('changeWorkflow', () => {
  it('replaces the triggers', () => {
    expect(change({ on: { release: null } }).on).toEqual({ release: null });
  });

  it('adds to mappings', () => {
    const { jobs } = change({ jobs: { docs: { permissions: { contents: 'read' } }, other: {} } });
    expect(jobs).toMatchObject({
      docs: { 'runs-on': 'ubuntu-latest', permissions: { contents: 'read', statuses: 'write' } },
      other: {},
    });
  });

  it('completes a step by its id, between the steps around it', () => {
    const steps = [{ run: 'before' }, { id: 'docs', with: { wait: false } }, { id: 'after', run: 'after' }];
    expect(change({ jobs: { docs: { steps } } }).jobs.docs.steps).toEqual([
      { run: 'before' },
      { id: 'docs', uses: 'some/action@v1', with: { prompt: 'Write', wait: false } },
      { id: 'after', run: 'after' },
    ]);
  });
});

describe('parseExamples', () => {
  const block = '```yaml\non: push\n```\n<!-- end example -->';

  it('reads workflows, and changes to them', () => {
    const text = `<!-- example: a.yml -->\n${block}\n<!-- example: b.yml, changes a.yml -->\n${block}`;
    expect(parseExamples('x.md', text)).toEqual([
      { name: 'a.yml', base: undefined, file: 'x.md', text: 'on: push\n' },
      { name: 'b.yml', base: 'a.yml', file: 'x.md', text: 'on: push\n' },
    ]);
  });

  it('refuses an example without an end', () => {
    expect(() => parseExamples('x.md', '<!-- example: a.yml -->\n```yaml\non: push\n```\n')).toThrow('a.yml');
  });
});
