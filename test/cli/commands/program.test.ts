import { expect } from "chai";
import { runCli } from "../../support/cli.ts";

const commands = [
  "verify",
  "hash",
  "find",
  "proof",
  "register",
  "link",
  "revoke",
  "status",
  "events",
  "wallets",
];

describe("the command line", () => {
  it("shows its help, and how its exit codes are meant", async () => {
    const { code, stdout, stderr } = await runCli(["--help"]);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
    expect(stdout).to.contain(
      "0 done or valid, 1 invalid or nothing found, 2 could not be checked or done, 3 wrong usage",
    );
    for (const command of commands) expect(stdout).to.match(new RegExp(`^  ${command} `, "m"));
  });

  for (const command of commands) {
    it(`shows the help of ${command}, with examples`, async () => {
      const { code, stdout, stderr } = await runCli([command, "--help"]);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
      expect(stdout).to.contain("Examples:\n").and.to.contain(`asset-registry ${command}`);
      expect((await runCli(["help", command])).stdout).to.equal(stdout);
    });
  }

  for (const [what, args] of [
    ["no command", []],
    ["an unknown command", ["verfy"]],
    ["an unknown option", ["hash", "--bogus", "a"]],
    ["an API key as an argument, which others could see", ["find", "--api-key", "secret", "a"]],
    ["a missing argument", ["hash"]],
    ["an argument too many", ["find", "a", "b"]],
    ["an option without its value", ["find", "a", "--service"]],
    ["no service", ["find", "a"]],
  ] as const) {
    it(`ends with exit code 3 for ${what}`, async () => {
      const { code, stdout, stderr } = await runCli([...args]);
      expect({ code, stdout }).to.deep.equal({ code: 3, stdout: "" });
      expect(stderr).to.not.equal("");
      expect(stderr).to.not.contain(" at ");
    });
  }

  it("tells wrong usage in JSON to whoever asks for it", async () => {
    const { code, stdout } = await runCli(["hash", "--json", "--bogus", "a"]);
    expect(code).to.equal(3);
    expect(JSON.parse(stdout)).to.deep.equal({
      error: { code: "usage", message: "unknown option '--bogus'" },
    });
  });

  it("shows its version", async () => {
    expect((await runCli(["--version"])).stdout).to.match(/^\d+\.\d+\.\d+\n$/);
  });
});
