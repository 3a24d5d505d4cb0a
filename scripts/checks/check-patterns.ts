import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { productModules, slowPatterns } from "./patterns.ts";

// A part of `npm run check`. Of the folder that it runs in.
const found: string[] = [];
for await (const path of glob(productModules)) {
  found.push(...slowPatterns(path.replaceAll("\\", "/"), readFileSync(path, "utf8")));
}
for (const line of found.sort()) console.log(line);
process.exitCode = found.length > 0 ? 1 : 0;
