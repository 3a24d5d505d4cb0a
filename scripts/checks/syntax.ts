import { stripTypeScriptTypes } from "node:module";
import { type Node, parse } from "acorn";
import { fullAncestor } from "acorn-walk";

/** The text of a module without its types, each character at its place. */
function javaScriptOf(path: string, text: string): string {
  return path.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
}

/** Visits every node of a module's syntax tree, with the nodes around it from the outside in, itself included. */
export function visit(
  path: string,
  text: string,
  onNode: (node: Node, around: readonly Node[]) => void,
): void {
  const tree = parse(javaScriptOf(path, text), {
    ecmaVersion: "latest",
    sourceType: "module",
    locations: true,
    allowHashBang: true,
  });
  fullAncestor(tree, (node, _state, around) => onNode(node, around));
}

export const lineOf = (node: Node): number => node.loc?.start.line ?? 0;
