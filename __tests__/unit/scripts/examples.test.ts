import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { changeWorkflow } from '../../../scripts/examples.ts';

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
    const steps = [
      { run: 'before' },
      { id: 'docs', with: { wait: false } },
      { id: 'after', run: 'after' },
    ];
    expect(change({ jobs: { docs: { steps } } }).jobs.docs.steps).toEqual([
      { run: 'before' },
      { id: 'docs', uses: 'some/action@v1', with: { prompt: 'Write', wait: false } },
      { id: 'after', run: 'after' },
    ]);
  });
});
