import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Starts the end-to-end tests first, because they wait most. Others use the time. */
class EndToEndFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => (moduleId.includes('/e2e/') ? 0 : 1);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** The tests by mode: the workflows and the examples in act, or what takes too long for `npm test`. */
const TESTS: Readonly<Record<string, string>> = {
  test: '{e2e,property,unit}/**/*',
  sweep: '{sweep/**/*,e2e/github-answers}',
  workflows: 'workflows/**/*',
};

export default defineConfig(({ mode }) => ({
  // Without the warnings that a dependency's source maps point to files it does not publish.
  logLevel: 'error',
  test: {
    include: [`__tests__/${TESTS[mode]}.test.ts`],
    // No test changes a module, so the files of a worker share them.
    isolate: false,
    globalSetup: ['__tests__/helpers/leave-nothing.ts'],
    setupFiles: ['__tests__/helpers/setup.ts'],
    // Most tests start processes, which take ten seconds each on a very busy machine. What is right
    // passes much sooner, and what hangs ends by its own limits.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Most of the tests wait for processes and sockets, so more of them than cores run at once.
    maxWorkers: 6,
    maxConcurrency: mode === 'workflows' ? 8 : 4,
    sequence: { sequencer: EndToEndFirst },
    // It imports JSON in a way that bundlers understand, and Node does not.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    // Later runs don't compile unchanged modules again.
    experimental: { fsModuleCache: true },
  },
}));
