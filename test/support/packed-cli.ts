import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { root } from "./program.ts";

const execute = promisify(execFile);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };
export type Running = {
  child: ChildProcess;
  ended: Promise<Ended>;
  until(pattern: RegExp): Promise<RegExpExecArray>;
};
export type RunOptions = { env?: Record<string, string>; input?: string };

/** The command line as a customer has it: its tarball and those of its two packages, in an empty folder. */
export async function installCli() {
  const folder = await mkdtemp(join(tmpdir(), "asset-registry-cli-"));
  const project = join(folder, "project");
  await mkdir(project);
  const workspaces = ["proof", "client", "cli"].flatMap((name) => ["-w", name]);
  await execute(npm, ["pack", ...workspaces, "--silent", "--pack-destination", folder], { cwd: root });
  const tarballs = (await readdir(folder))
    .filter((name) => name.endsWith(".tgz"))
    .map((name) => join(folder, name));
  await writeFile(join(project, "package.json"), JSON.stringify({ name: "customer", private: true }));
  await execute(npm, ["install", "--no-audit", "--no-fund", "--prefer-offline", ...tarballs], {
    cwd: project,
  });
  const bin = join(project, "node_modules", ".bin");
  const program = join(bin, "asset-registry");

  /** Starts the program as a shell does, in the customer's folder and with no settings but those that are given. */
  const start = (args: readonly string[], options?: RunOptions) => startProgram(program, args, options);

  function startProgram(
    file: string,
    args: readonly string[],
    { env = {}, input }: RunOptions = {},
  ): Running {
    const path = [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter);
    const clean = { PATH: path, HOME: project, XDG_CONFIG_HOME: join(project, "config") };
    const child = spawn(file, [...args], {
      cwd: project,
      env: { ...clean, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const printed = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        printed[name] += text;
        child.emit("printed");
      });
    }
    child.stdin.on("error", () => {});
    child.stdin.end(input ?? "");
    const ended = new Promise<Ended>((resolve) => {
      child.once("close", (code, signal) => resolve({ code, signal, ...printed }));
    });
    const until: Running["until"] = (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(printed.stdout + printed.stderr);
          if (found !== null) resolve(found);
        };
        child.on("printed", look);
        void ended.then(() =>
          reject(new Error(`It ended without ${pattern}: ${printed.stdout}${printed.stderr}`)),
        );
        look();
      });
    return { child, ended, until };
  }

  return {
    project,
    tarballs,
    start,
    /** Runs lines of a shell, in which the program is found by its name. */
    startShell: (script: string, env: Record<string, string>) => startProgram("sh", ["-c", script], { env }),
    run: async (args: readonly string[], options?: RunOptions) => await start(args, options).ended,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export type InstalledCli = Awaited<ReturnType<typeof installCli>>;
