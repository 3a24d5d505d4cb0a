import fc from "fast-check";

/**
 * The seed of what a test leaves to chance: always the same, so that a run can be repeated. `npm run test:deep`
 * draws one.
 */
export const testSeed: number =
  process.env["TEST_SEED"] === "random" ? Math.floor(Math.random() * 2 ** 31) : 1;

if (process.env["TEST_SEED"] === "random") console.log(`Seed: ${testSeed}`);
fc.configureGlobal({ seed: testSeed });
