import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** The folders that each folder's files may import from, beside itself. An import goes down only, and never across. */
const floors: Record<string, string[]> = {
  "proof/src": [],
  domain: ["proof/src"],
  "db/core": ["proof/src", "domain"],
  rpc: ["proof/src", "domain"],
  "db/chain": ["domain", "db/core", "db/reads", "db/service"],
  "db/service": ["domain", "db/core", "db/chain"],
  "db/reads": ["domain", "db/core", "db/service", "db/chain"],
  "db/migrations": ["domain", "db/core"],
  indexer: ["domain", "db", "rpc", "config"],
  api: ["proof/src", "domain", "db/core", "db/service", "db/reads", "rpc", "config"],
  config: ["domain"],
  "client/src": [],
};

/** Most files in a folder: more of them are read by nobody. */
const mostFiles = 20;

/** Not counted: each change of the schema adds a file. */
const growing = ["db/migrations"];

/** Any folder may read the version. */
const everywhere = ["package.json"];

type Import = { file: string; target: string };

const rooms = Object.keys(floors);

const roomOf = (file: string) => rooms.find((room) => file.startsWith(`${room}/`));

/** `config.ts` and what stands in `config/` are one. */
const placeOf = (file: string) => (file === "config.ts" ? "config/config.ts" : file);

function sourceFiles(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

/** Imports of other files of this repository, those of types included. */
function importsOf(root: string, file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  return Array.from(text.matchAll(/(?:from|import|import\() ?"(\.[^"]+)"/g), ([, path = ""]) => ({
    file,
    target: join(dirname(file), path).split(sep).join("/"),
  }));
}

function crossings(imports: Import[]): string[] {
  return imports.flatMap(({ file, target }) => {
    const from = roomOf(file);
    if (from === undefined) return [];
    const allowed = [from, ...(floors[from] ?? [])];
    if (everywhere.includes(target)) return [];
    if (allowed.some((room) => placeOf(target).startsWith(`${room}/`))) return [];
    return [`${file}: may not import ${target}`];
  });
}

/** One way around for each circle of imports. */
function circles(imports: Import[]): string[] {
  const targets = Map.groupBy(imports, ({ file }) => file);
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (file: string, way: string[]) => {
    const start = way.indexOf(file);
    if (start >= 0) found.push(`circle of imports: ${[...way.slice(start), file].join(" → ")}`);
    if (start >= 0 || done.has(file)) return;
    for (const { target } of targets.get(file) ?? []) walk(target, [...way, file]);
    done.add(file);
  };
  for (const file of targets.keys()) walk(file, []);
  return found;
}

function crowds(files: string[]): string[] {
  const folders = Map.groupBy(files, (file) => dirname(file));
  return [...folders]
    .filter(([folder, inside]) => inside.length > mostFiles && !growing.includes(folder))
    .map(([folder, inside]) => `${folder}: ${inside.length} files; make rooms of at most ${mostFiles}`);
}

/** Everything in which the folders of the product break the rules above, a sentence each. */
export function brokenFences(root: string): string[] {
  const tops = new Set(rooms.map((room) => room.split("/")[0] ?? room));
  const files = [...tops].flatMap((top) => sourceFiles(root, top));
  const imports = files.flatMap((file) => importsOf(root, file));
  return [...crossings(imports), ...circles(imports), ...crowds(files)];
}
