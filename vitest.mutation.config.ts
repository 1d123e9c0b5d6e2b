import { defineConfig } from 'vitest/config';

/** The tests that mutation testing runs: those of the pure rooms. */
export default defineConfig({
  test: {
    include: ['__tests__/unit/{job,text}/*.test.ts'],
    testTimeout: 5_000,
  },
});
