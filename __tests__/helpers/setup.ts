import { afterAll, aroundEach } from 'vitest';
import { closeAll } from '../harness/at-end.ts';
import { collectEvidence, type Evidence, formatEvidence } from '../harness/failure-report.ts';

/** Prints the evidence of a test that fails. */
aroundEach(async (runTest, { task, onTestFailed }) => {
  const evidence: Evidence[] = [];
  onTestFailed(() => {
    if (evidence.length > 0) {
      console.error(`${task.name}\n${formatEvidence(evidence)}`);
    }
  });
  await collectEvidence(evidence, runTest);
});

afterAll(closeAll);
