import { runSuite } from "./suite/run-suite.ts";
import { deepSuite } from "./suite/suites.ts";

await runSuite(deepSuite, process.argv.slice(2));
