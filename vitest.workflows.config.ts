import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** The workflows and the examples in act, which takes a minute. */
export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: ['__tests__/workflows/scenarios.ts'],
    testTimeout: 300_000,
    // Most of them wait for polls.
    maxConcurrency: 8,
  },
});
