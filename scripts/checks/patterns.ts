import type { Identifier, Literal, NewExpression } from "acorn";
import { analyse } from "scslre";
import { searchesOn } from "./long-searches.ts";
import { lineOf, visit } from "./syntax.ts";

/** The modules of the product: all that may meet a text of somebody else's. */
export const productModules = [
  "config.ts",
  "{api,cli/src,client/src,db,domain,indexer,proof/src,rpc,scripts,web/src}/**/*.{ts,mjs}",
];

/**
 * Regular expressions of a module whose time may grow faster than the text that they read, and those that are made
 * while it runs, of which nobody can tell.
 * @returns a line for each, with its place
 */
export function slowPatterns(path: string, text: string): string[] {
  const found: string[] = [];
  visit(path, text, (node) => {
    const place = `${path}:${lineOf(node)}`;
    const regex = node.type === "Literal" ? (node as Literal).regex : undefined;
    if (regex) {
      const { pattern, flags } = regex;
      const { reports, parsed } = analyse({ source: pattern, flags }, { maxReports: 1 });
      const [report] = reports;
      if (report === undefined) {
        if (searchesOn(parsed.pattern, flags)) {
          found.push(
            `${place} /${pattern}/${flags} goes on without an end from each place: bound it, as in .{0,100}`,
          );
        }
        return;
      }
      const growth = report.exponential ? "exponentially" : "faster than its length";
      found.push(
        `${place} /${pattern}/${flags} takes time that grows ${growth} with a text of many ${report.character.literal.source}`,
      );
    }
    const { callee } = node as NewExpression;
    const isMade = node.type === "NewExpression" || node.type === "CallExpression";
    if (isMade && callee.type === "Identifier" && (callee as Identifier).name === "RegExp") {
      found.push(`${place} makes a pattern while it runs: write it as a literal, which can be checked`);
    }
  });
  return found;
}
