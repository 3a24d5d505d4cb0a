import Mocha from "mocha";

import { failureLine, writeTotals } from "./totals.ts";

/** Mocha's own report for people, and the totals for `npm test`. */
class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    // `failures` counts failed hooks too, which are no tests: nothing behind them was run.
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      for (const test of this.failures) console.log(failureLine(test.fullTitle(), test.err?.message));
      writeTotals({ passed: passes, failed: failures, skipped: pending });
    });
  }
}

// Mocha takes what `require` answers for the reporter.
export { Reporter as "module.exports" };
