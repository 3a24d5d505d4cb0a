import { runSuite } from "./suite/run-suite.ts";
import { suite } from "./suite/suites.ts";

await runSuite(suite, process.argv.slice(2));
