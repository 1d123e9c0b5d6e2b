import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Without the warnings that a dependency's source maps point to files it does not publish.
  logLevel: 'error',
  test: {
    include: ['__tests__/**/*.test.ts'],
    // No test changes a module, so the files of a worker share them.
    isolate: false,
    globalSetup: ['__tests__/helpers/leave-nothing.ts'],
    setupFiles: ['__tests__/helpers/setup.ts'],
    // Most tests start processes, which take seconds on a busy machine. What is right passes much sooner.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Most of the tests wait for processes and sockets, so more of them than cores run at once.
    maxWorkers: 6,
    maxConcurrency: 12,
    // It imports JSON in a way that bundlers understand, and Node does not.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    // Later runs don't compile unchanged modules again.
    experimental: { fsModuleCache: true },
  },
});
