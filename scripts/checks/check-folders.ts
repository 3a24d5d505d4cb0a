import { folderProblems } from "./folders.ts";

const problems = folderProblems(process.cwd());
for (const problem of problems) console.log(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
