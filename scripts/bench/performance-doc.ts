import { readFile, writeFile } from "node:fs/promises";

const file = new URL("../../docs/performance.md", import.meta.url);

/** Replaces what stands between the marks of a section of docs/performance.md. */
export async function rewriteSection(name: string, text: string): Promise<void> {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const old = await readFile(file, "utf8");
  const [from, to] = [old.indexOf(begin), old.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no section ${name}`);
  await writeFile(file, `${old.slice(0, from + begin.length)}\n${text}\n${old.slice(to)}`);
}
