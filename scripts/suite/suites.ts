/** A set of tests that one command runs. A test's folder decides to which one it belongs. */
export type Suite = {
  command: string;
  about: string;
  /** Patterns of Mocha's files, and of those among them that belong to another suite. */
  files: string[];
  ignored: string[];
  /** Whether several files may run at the same time, each process with some of them. */
  sideBySide: boolean;
  /** Patterns of the files that are run on other databases than the embedded one, too. */
  onOtherDatabases?: string[];
  /** The profile in hardhat.config.ts by which the tests in Solidity are run too. */
  solidity?: string;
  environment: Record<string, string>;
};

export const suite: Suite = {
  command: "npm test",
  about: `Runs the tests of every part, several files side by side, from fixed seeds: Mocha's in test/ but for those in
test/system/ and test/deep/, then those in Solidity.`,
  files: ["test/**/*.test.ts"],
  ignored: ["test/system/**", "test/deep/**"],
  sideBySide: true,
  solidity: "default",
  environment: {},
};

export const systemSuite: Suite = {
  command: "npm run test:system",
  about: `Runs the tests in test/system/: whole programs, processes that are killed, nodes and databases that are away,
and whatever else has to wait by the clock. Those of the whole service are run on other databases, too: on the
PostgreSQL that the system's packages installed, as it comes, and on that through PgBouncer in transaction mode. They
are those in test/system/e2e/, and those in test/client/, which \`npm test\` runs on the embedded PostgreSQL. Files that
are named are run on the embedded one, or on TEST_DATABASE=installed or TEST_DATABASE=pooled.`,
  files: ["test/system/**/*.test.ts"],
  ignored: [],
  sideBySide: false,
  onOtherDatabases: ["test/system/e2e/**/*.test.ts", "test/client/**/*.test.ts"],
  environment: {},
};

export const deepSuite: Suite = {
  command: "npm run test:deep",
  about: `Runs the tests in test/deep/, and those of \`npm test\` once more: from seeds that are drawn anew and printed, and
with far more runs in Solidity. Takes hours.`,
  files: ["test/**/*.test.ts"],
  ignored: ["test/system/**"],
  sideBySide: false,
  solidity: "deep",
  environment: { TEST_SEED: "random" },
};
