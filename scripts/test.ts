import { suite } from "./local/suites.ts";
import { runSuite } from "./local/test-suite.ts";

await runSuite(suite, process.argv.slice(2));
