import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export type TemporaryFolder = {
  /** By which a program takes it for the system's own. */
  environment: Record<string, string>;
  /** Removes it. @returns the names of what was left in it */
  remove(): Promise<string[]>;
};

/** What a process leaves to a guard is removed a moment after its end. */
const PATIENCE_MS = 10_000;
/**
 * Binaries that root's packages hide from others are copied once for all who need them; what Hardhat's command reads
 * TypeScript by keeps what it has compiled.
 */
const kept = /^(asset-registry-postgres|tsx)-/;

/** A folder for what programs need for a time, by which can be told whether they remove it. */
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
