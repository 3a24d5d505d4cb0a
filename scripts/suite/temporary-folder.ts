import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export type TemporaryFolder = {
  /** Environment variables that make a program use it as the system's temporary folder. */
  environment: Record<string, string>;
  /** Removes it. @returns the names of what was left in it */
  remove(): Promise<string[]>;
};

/** Files left to a guard process are removed within this time after the end. */
const PATIENCE_MS = 10_000;
/**
 * Binaries that root's packages hide from others are copied once for all who need them; what Hardhat's command reads
 * TypeScript by keeps what it has compiled.
 */
const kept = /^(asset-registry-postgres|tsx)-/;

/** A temporary folder for programs under test, which reports the files that they leave behind. */
export function temporaryFolder(): TemporaryFolder {
  const folder = mkdtempSync(join(tmpdir(), "asset-registry-tests-"));
  chmodSync(folder, 0o755); // PostgreSQL runs as another user than root
  const left = () => readdirSync(folder).filter((name) => !kept.test(name));
  return {
    environment: { TMPDIR: folder, TMP: folder, TEMP: folder },
    async remove() {
      const deadline = performance.now() + PATIENCE_MS;
      while (left().length > 0 && performance.now() < deadline) await sleep(100);
      const names = left();
      rmSync(folder, { recursive: true, force: true });
      return names;
    },
  };
}
