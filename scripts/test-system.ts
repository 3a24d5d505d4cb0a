import { runSuite } from "./suite/run-suite.ts";
import { systemSuite } from "./suite/suites.ts";

await runSuite(systemSuite, process.argv.slice(2));
