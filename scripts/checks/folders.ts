import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/**
 * The folders that the files of each folder may import from, beside their own. They are layers: each imports from those
 * below it, and `api` and `indexer` not from each other.
 *
 * `db/chain` (SQL on the index), `db/service` (SQL on requests and all else that the service stores) and `db/reads`
 * (queries over both, for answers) are one layer, told apart by the schemas that they write: the state of a request
 * follows from both, so `db/chain` and `db/service` use each other's pieces of SQL. Single files still form no cycle.
 */
const allowedImports: Record<string, string[]> = {
  "proof/src": [],
  domain: ["proof/src"],
  "db/core": ["proof/src", "domain"],
  "db/chain": ["domain", "db/core", "db/service"],
  "db/service": ["domain", "db/core", "db/chain"],
  "db/reads": ["domain", "db/core", "db/chain", "db/service"],
  rpc: ["proof/src", "domain"],
  config: ["domain"],
  indexer: ["domain", "db", "rpc", "config"],
  api: ["proof/src", "domain", "db/core", "db/service", "db/reads", "rpc", "config"],
  "client/src": [],
  "cli/src": [],
  "web/src": ["domain"],
};

/** Any folder may import these files. */
const importableEverywhere = ["package.json"];

/** Most files in a folder, so that its listing can be read at a glance. */
const mostFiles = 20;

/** Folders without that limit: each change of the schema adds a file. */
const growing = ["db/migrations"];

type Import = { file: string; target: string };

const folders = Object.keys(allowedImports);

const folderOf = (file: string) => folders.find((folder) => file.startsWith(`${folder}/`));

/** Counts `config.ts` as a file of `config/`. */
const placeOf = (file: string) => (file === "config.ts" ? "config/config.ts" : file);

function sourceFiles(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
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

function forbiddenImports(imports: Import[]): string[] {
  return imports.flatMap(({ file, target }) => {
    const from = folderOf(file);
    if (from === undefined || importableEverywhere.includes(target)) return [];
    const allowed = [from, ...(allowedImports[from] ?? [])];
    if (allowed.some((folder) => placeOf(target).startsWith(`${folder}/`))) return [];
    return [`${file}: may not import ${target}`];
  });
}

/** One path for each cycle of imports. */
function cycles(imports: Import[]): string[] {
  const targets = Map.groupBy(imports, ({ file }) => file);
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (file: string, way: string[]) => {
    const start = way.indexOf(file);
    if (start >= 0) found.push(`cycle of imports: ${[...way.slice(start), file].join(" → ")}`);
    if (start >= 0 || done.has(file)) return;
    for (const { target } of targets.get(file) ?? []) walk(target, [...way, file]);
    done.add(file);
  };
  for (const file of targets.keys()) walk(file, []);
  return found;
}

function crowdedFolders(files: string[]): string[] {
  return [...Map.groupBy(files, (file) => dirname(file))]
    .filter(([folder, inside]) => inside.length > mostFiles && !growing.includes(folder))
    .map(
      ([folder, inside]) =>
        `${folder}: ${inside.length} files; split it into folders of at most ${mostFiles}`,
    );
}

/** Forbidden imports, cycles of imports and crowded folders of the product, a sentence each. */
export function folderProblems(root: string): string[] {
  const tops = new Set(folders.map((folder) => folder.split("/")[0] ?? folder));
  const files = [...tops].flatMap((top) => sourceFiles(root, top));
  const imports = files.flatMap((file) => importsOf(root, file));
  return [...forbiddenImports(imports), ...cycles(imports), ...crowdedFolders(files)];
}
