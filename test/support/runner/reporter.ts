import Mocha from "mocha";

import { failureLine, writeTotals } from "./totals.ts";

/** After so long, whoever runs this is about to end a process that tests have left something open in. */
const STILL_OPEN_MS = 5_000;

function nameWhatIsOpen(): void {
  console.log(`still open after all tests: ${process.getActiveResourcesInfo().join(", ")}`);
}

/** Mocha's own report for people, and the totals for `npm test`. */
class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    // `failures` counts failed hooks too, which are no tests: nothing behind them was run.
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      for (const test of this.failures) console.log(failureLine(test.fullTitle(), test.err?.message));
      writeTotals({ passed: passes, failed: failures, skipped: pending });
      setTimeout(nameWhatIsOpen, STILL_OPEN_MS).unref();
    });
  }
}

// Mocha takes what `require` answers for the reporter.
export { Reporter as "module.exports" };
