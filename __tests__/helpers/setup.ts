import { inspect } from 'node:util';
import { afterAll, aroundEach } from 'vitest';
import { closeAll } from '../harness/at-end.ts';
import { collected, type Evidence } from '../harness/failure-report.ts';

/** Prints the evidence of a test that fails, with long strings cut. */
aroundEach(async (runTest, { task, onTestFailed }) => {
  const evidence: Evidence[] = [];
  onTestFailed(() => {
    for (const { title, read } of evidence) {
      const value = read();
      const options = { depth: 6, maxStringLength: 2_000, breakLength: 120 };
      const text = typeof value === 'string' ? value : inspect(value, options);
      console.error(`${task.name}\n--- ${title}\n${text.trimEnd()}`);
    }
  });
  await collected.run(evidence, runTest);
});

afterAll(closeAll);
