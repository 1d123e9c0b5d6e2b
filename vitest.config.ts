import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Without the warnings that a dependency's source maps point to files it does not publish.
  logLevel: 'error',
  test: {
    include: ['__tests__/**/*.test.ts'],
    testTimeout: 30_000,
    // On a busy machine a process takes seconds to start.
    expect: { poll: { timeout: 10_000 } },
    // Most of the tests wait for processes and sockets, so two workers gain even on two cores.
    maxWorkers: 2,
    // It imports JSON in a way that bundlers understand, and Node does not.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
  },
});
