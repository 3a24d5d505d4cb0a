import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { type Encoding, encoder } from "./encodings.ts";

/** A file of the built console. */
export type BuiltFile = {
  /** Its extension, such as `.js`. */
  extension: string;
  bytes: Buffer;
  /** Tells its contents apart from any other's. */
  digest: string;
  /** Its bytes in a compression, made once. */
  encoded(encoding: Encoding): Promise<Buffer>;
};

/** The files by their path below `/console/`, such as `files/index-aLeQKqoB.js`. */
export type BuiltConsole = ReadonlyMap<string, BuiltFile>;

/** Reads the built console once, as soon as it is there; undefined where it has not been built. */
export type ConsoleReader = () => Promise<BuiltConsole | undefined>;

/**
 * Reads all files of a folder into memory, so that a path of a request is only ever looked up, and a build that replaces
 * them does not mix two consoles. Hidden files are left out.
 */
export function consoleReader(folder: string): ConsoleReader {
  let reading: Promise<BuiltConsole | undefined> | undefined;
  return async () => {
    reading ??= readConsole(folder);
    const found = await reading.catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    if (found === undefined) reading = undefined;
    return found;
  };
}

async function readConsole(folder: string): Promise<BuiltConsole | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  });
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => join(entry.parentPath, entry.name));
  const files = await Promise.all(
    paths.map(async (path): Promise<[string, BuiltFile]> => {
      const bytes = await readFile(path);
      const name = relative(folder, path).split(sep).join("/");
      const digest = hash("sha256", bytes, "base64url");
      return [name, { extension: extname(name), bytes, digest, encoded: encoder(bytes) }];
    }),
  );
  const built = new Map(files);
  return built.has("index.html") ? built : undefined;
}
