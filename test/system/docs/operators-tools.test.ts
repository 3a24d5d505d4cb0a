import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { root } from "../../support/program.ts";

const run = promisify(execFile);

/** Where a program of the operating system is; undefined where it is not installed. */
const find = (name: string) =>
  ["/usr/bin", "/usr/local/bin", "/bin"].map((folder) => join(folder, name)).find((path) => existsSync(path));

/** What a program prints, whether it likes its input or not. */
async function verdict(program: string, args: string[], folder: string) {
  return await run(program, args, { cwd: join(root, "docs", folder) }).then(
    ({ stdout, stderr }) => ({ passed: true, output: stdout + stderr }),
    (error: { stdout: string; stderr: string }) => ({ passed: false, output: error.stdout + error.stderr }),
  );
}

describe("what operators load into their own tools", () => {
  it("is taken by Prometheus: rules that are valid, and raise their alerts when they must", async function () {
    const promtool = find("promtool");
    // Debian's package prometheus has it; the CI script installs that.
    if (promtool === undefined) return this.skip();
    for (const args of [
      ["check", "rules", "alerts.yml"],
      ["test", "rules", "alerts.test.yml"],
    ]) {
      const { passed, output } = await verdict(promtool, args, "prometheus");
      expect(passed, output).to.equal(true);
    }
  });

  it("is taken by systemd: units without an unknown setting", async function () {
    const analyze = find("systemd-analyze");
    // Debian's package systemd has it; the CI script installs that.
    if (analyze === undefined) return this.skip();
    const units = readdirSync(join(root, "docs", "systemd")).filter((name) => name.endsWith(".service"));
    expect(units).to.have.lengthOf(2);
    for (const unit of units) {
      const { output } = await verdict(analyze, ["verify", join(root, "docs", "systemd", unit)], "systemd");
      // It complains of every unit of the machine; a missing /usr/bin/node is the machine's, too.
      const ours = output
        .split("\n")
        .filter((line) => line.includes(unit) && !line.includes("not executable"));
      expect(ours).to.deep.equal([]);
    }
  });
});
