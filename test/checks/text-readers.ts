import type {
  CallExpression,
  ExportNamedDeclaration,
  FunctionDeclaration,
  Identifier,
  Literal,
  MemberExpression,
  NewExpression,
  Node,
  VariableDeclaration,
} from "acorn";
import { visit } from "../../scripts/checks/syntax.ts";

/** Functions whose time, memory or error depends on a text more than one pass over it does, or that are often slow. */
const functions = [
  ...["BigInt", "RegExp", "atob", "decodeURI", "decodeURIComponent", "unescape"],
  ...[
    "decodeAbiParameters",
    "decodeErrorResult",
    "decodeEventLog",
    "decodeFunctionData",
    "decodeFunctionResult",
  ],
  ...["decodeJwt", "decodeProtectedHeader", "hexToBigInt", "hexToNumber", "jwtVerify", "parseTransaction"],
];
const ofObjects: Record<string, readonly string[]> = {
  Date: ["parse"],
  JSON: ["parse"],
  Number: ["parseFloat", "parseInt"],
  URL: ["parse"],
};
const methods = ["decode", "localeCompare", "normalize"];
const classes = ["RegExp", "TextDecoder", "URL", "URLSearchParams", "URLPattern"];

/** Declarations at the top of a module that read texts by a regular expression or one of these, by their names. */
export function textReaders(path: string, text: string): Set<string> {
  const found = new Set<string>();
  visit(path, text, (node, around) => {
    if (readsText(node)) found.add(`${path}#${nameOf(around[1])}`);
  });
  return found;
}

function readsText(node: Node): boolean {
  if (node.type === "Literal") return (node as Literal).regex != null;
  if (node.type === "NewExpression") return isNamed((node as NewExpression).callee, classes);
  if (node.type !== "CallExpression") return false;
  const { callee } = node as CallExpression;
  if (callee.type !== "MemberExpression") return isNamed(callee, functions);
  const { object, property } = callee as MemberExpression;
  const own = object.type === "Identifier" ? ofObjects[(object as Identifier).name] : undefined;
  return isNamed(property, [...methods, ...(own ?? [])]);
}

const isNamed = (node: Node, names: readonly string[]): boolean =>
  node.type === "Identifier" && names.includes((node as Identifier).name);

/** Of the declaration; `module` for a statement that declares nothing. */
function nameOf(statement: Node | undefined): string {
  const declared =
    statement?.type === "ExportNamedDeclaration"
      ? (statement as ExportNamedDeclaration).declaration
      : statement;
  if (declared?.type === "FunctionDeclaration" || declared?.type === "ClassDeclaration") {
    return (declared as FunctionDeclaration).id?.name ?? "module";
  }
  const [first] =
    declared?.type === "VariableDeclaration" ? (declared as VariableDeclaration).declarations : [];
  return first?.id.type === "Identifier" ? (first.id as Identifier).name : "module";
}
