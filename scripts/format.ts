import { program, runCheck, solidityFiles } from "./checks/run-check.ts";

if (process.argv.includes("--help")) {
  console.log(
    "Usage: npm run format\n\nWrites every file in its one format, and fixes what the linter can fix safely.",
  );
} else {
  const commands = [
    [program("@biomejs/biome", "biome"), "check", "--write", "."],
    [program("prettier"), "--write", "--log-level=warn", ...solidityFiles],
  ];
  for (const command of commands) {
    const { passed, output } = await runCheck({ name: "format", commands: [command] });
    if (output !== "") console.log(output);
    if (!passed) process.exitCode = 1;
  }
}
