import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary folder that also holds the files of PostgreSQL, which as root runs as another user. */
export async function benchFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `asset-registry-bench-${name}-`));
  await chmod(folder, 0o755);
  return folder;
}
