import { deepSuite } from "./local/suites.ts";
import { runSuite } from "./local/test-suite.ts";

await runSuite(deepSuite, process.argv.slice(2));
