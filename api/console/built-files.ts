import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

/** Compressions of which the build leaves a variant beside a file, the smallest first, and the end of its name. */
const variants = { br: ".br", gzip: ".gz" } as const;
export type Encoding = keyof typeof variants;
export const encodings = Object.keys(variants) as Encoding[];

/** A file of the built console. */
export type BuiltFile = {
  /** Its extension, such as `.js`. */
  extension: string;
  bytes: Buffer;
  /** Tells its contents apart from any other's. */
  digest: string;
  /** Its bytes in each compression that makes it smaller. */
  compressed: Partial<Record<Encoding, Buffer>>;
};

/** The files by their path below `/console/`, such as `files/index-aLeQKqoB.js`. */
export type BuiltConsole = ReadonlyMap<string, BuiltFile>;

/** Reads the built console once, as soon as it is there; undefined where it has not been built. */
export type ConsoleReader = () => Promise<BuiltConsole | undefined>;

/**
 * Reads all files of a folder into memory, so that a path of a request is only ever looked up, and a build that replaces
 * them does not mix two consoles.
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
  const bytes = await readFolder(folder).catch((error: unknown) => {
    // A build may replace it at this moment.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Map<string, Buffer>();
    throw error;
  });
  const built = new Map<string, BuiltFile>();
  for (const [name, whole] of bytes) {
    if (Object.values(variants).some((end) => name.endsWith(end))) continue;
    const compressed = Object.fromEntries(
      encodings.flatMap((encoding) => {
        const variant = bytes.get(`${name}${variants[encoding]}`);
        return variant === undefined ? [] : [[encoding, variant]];
      }),
    );
    const digest = hash("sha256", whole, "base64url");
    built.set(name, { extension: extname(name), bytes: whole, digest, compressed });
  }
  return built.has("index.html") ? built : undefined;
}

/** The contents of all files by their path, links and hidden files left out. */
async function readFolder(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(
    paths.map(async (path) => [relative(folder, path).split(sep).join("/"), await readFile(path)] as const),
  );
  return new Map(contents);
}
