import { type ChildProcess, spawn } from "node:child_process";

/** How to clean up after a child process when this process dies without stopping it. */
export type GuardOptions = {
  signal: "INT" | "TERM" | "KILL";
  /** Removed once that process has ended. */
  removeFolder?: string;
};

/**
 * Sees to it that `child` does not outlive this process, however it ends. A shell reads from a pipe that
 * nothing is ever written to; the system closes the pipe with this process, and then the shell acts.
 */
export function guardAgainstOrphan(child: ChildProcess, { signal, removeFolder = "" }: GuardOptions): void {
  if (process.platform === "win32" || child.pid === undefined) return;
  const script = `read -r _; kill -${signal} "$1"; [ -z "$2" ] && exit; while kill -0 "$1"; do sleep 0.1; done; rm -rf "$2"`;
  const guard = spawn("/bin/sh", ["-c", script, "sh", String(child.pid), removeFolder], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => {}); // no shell: the next start cleans up
  guard.stdin.on("error", () => {});
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  child.once("exit", () => guard.kill("SIGKILL"));
}
