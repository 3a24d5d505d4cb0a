import { brokenFences } from "./fences.ts";

const broken = brokenFences(process.cwd());
for (const problem of broken) console.log(problem);
process.exitCode = broken.length > 0 ? 1 : 0;
