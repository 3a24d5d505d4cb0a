import { systemSuite } from "./local/suites.ts";
import { runSuite } from "./local/test-suite.ts";

await runSuite(systemSuite, process.argv.slice(2));
