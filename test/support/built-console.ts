import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** A script of the small console below. */
export const script = `console.log("signs and verifies");\n`.repeat(200);

/** A small console in a temporary folder, with files as a build of the real one leaves them. */
export function builtConsole(files: Record<string, string | Buffer> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "asset-registry-console-"));
  const all = {
    "index.html":
      '<!doctype html><title>Asset Registry</title><script src="/console/files/index-aLeQKqoB.js"></script>',
    "files/index-aLeQKqoB.js": script,
    "files/index-aLeQKqoB.js.br": brotliCompressSync(script),
    "files/index-aLeQKqoB.js.gz": gzipSync(script),
    "files/index-DDZLfM-F.css": "body { margin: 0 }",
    "files/icon-Bfazed0J.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
    "files/worker-Zk_81x-w.wasm": "\0asm",
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
