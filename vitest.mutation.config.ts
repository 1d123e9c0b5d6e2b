import { defineConfig } from 'vitest/config';

/** The tests that mutation testing runs: those of the pure modules, and the properties. */
export default defineConfig({
  test: {
    include: [
      '__tests__/unit/{outcome,run}.test.ts',
      '__tests__/unit/{claims,inputs,prompt,report,service,text}/*.test.ts',
      '__tests__/unit/github/version-tag.test.ts',
      '__tests__/property/*.test.ts',
    ],
    testTimeout: 5_000,
  },
});
