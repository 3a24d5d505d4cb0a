/** A node of the compiler's syntax tree; `src` is `start:length:file`, in bytes. */
export type SyntaxNode = { nodeType: string; src: string; [property: string]: unknown };

/** The source with one thing changed. */
export type Mutant = { line: number; what: string; source: string };

type Edit = { start: number; end: number; text: string; what: string };

const SEMICOLON = ";".charCodeAt(0);

const operators: Record<string, string[]> = {
  "==": ["!="],
  "!=": ["=="],
  "<": ["<=", ">="],
  ">": [">=", "<="],
  "&&": ["||"],
  "||": ["&&"],
};

/** Things that are named alike in use: whoever takes the other one must be noticed. */
const lookAlikes: Record<string, string> = {
  _ADD_LINKS_TYPEHASH: "_REVOKE_LINKS_TYPEHASH",
  _REVOKE_LINKS_TYPEHASH: "_ADD_LINKS_TYPEHASH",
  _CREATE_ASSET_TYPEHASH: "_ASSET_TYPEHASH",
  _ASSET_TYPEHASH: "_CREATE_ASSET_TYPEHASH",
};

const members: Record<string, string> = {
  "msg.sender": "tx.origin",
  "block.timestamp": "block.number",
};

/** Every mutant of a source, in the order of its lines. */
export function mutantsOf(source: string, tree: SyntaxNode): Mutant[] {
  const bytes = Buffer.from(source);
  const text = (node: SyntaxNode) => bytes.subarray(...span(node)).toString();
  const edits: Edit[] = [];
  const add = (at: [number, number], replacement: string, what: string) =>
    edits.push({ start: at[0], end: at[1], text: replacement, what });

  const visit = (node: SyntaxNode): void => {
    switch (node.nodeType) {
      case "IfStatement": {
        const condition = node["condition"] as SyntaxNode;
        for (const value of ["true", "false"]) {
          add(span(condition), value, `if (${text(condition)}) → if (${value})`);
        }
        break;
      }
      case "BinaryOperation": {
        const [left, right] = [node["leftExpression"] as SyntaxNode, node["rightExpression"] as SyntaxNode];
        const operator = node["operator"] as string;
        for (const other of operators[operator] ?? []) {
          const between: [number, number] = [span(left)[1], span(right)[0]];
          add(between, ` ${other} `, `${text(node)}: ${operator} → ${other}`);
        }
        if (operator === "&&" || operator === "||") {
          const neutral = operator === "&&" ? "true" : "false";
          for (const side of [left, right]) add(span(side), neutral, `${text(side)} → ${neutral}`);
        }
        break;
      }
      case "UnaryOperation":
        if (node["operator"] === "!") {
          add(span(node), text(node["subExpression"] as SyntaxNode), `${text(node)} → without !`);
        }
        break;
      case "Literal":
        if (node["kind"] === "number") {
          const other = node["value"] === "0" ? "1" : "0";
          add(span(node), other, `${node["value"]} → ${other}`);
        }
        if (node["kind"] === "string") {
          // The first letter only: the text may be written in several pieces.
          const [start] = span(node);
          add([start + 1, start + 2], "#", `${text(node).split("\n")[0]} → with another first letter`);
        }
        break;
      case "Identifier": {
        const other = lookAlikes[node["name"] as string];
        if (other !== undefined) add(span(node), other, `${node["name"]} → ${other}`);
        break;
      }
      case "MemberAccess": {
        const other = members[text(node)];
        if (other !== undefined) add(span(node), other, `${text(node)} → ${other}`);
        break;
      }
      case "ExpressionStatement":
      case "EmitStatement":
      case "RevertStatement":
      case "Return": {
        const [start, end] = span(node);
        const withSemicolon = bytes[end] === SEMICOLON ? end + 1 : end;
        add([start, withSemicolon], "{}", `${text(node).split("\n")[0]} → nothing`);
        break;
      }
      case "FunctionCall": {
        const passed = node["arguments"] as SyntaxNode[];
        for (const [index, first] of passed.entries()) {
          const second = passed[index + 1];
          if (second === undefined || typeOf(first) !== typeOf(second)) continue;
          const gap = bytes.subarray(span(first)[1], span(second)[0]).toString();
          const swapped = `${text(second)}${gap}${text(first)}`;
          add([span(first)[0], span(second)[1]], swapped, `${text(first)}, ${text(second)} → swapped`);
        }
        break;
      }
    }
    for (const child of children(node)) visit(child);
  };
  visit(tree);

  return edits
    .sort((one, other) => one.start - other.start)
    .map(({ start, end, text: replacement, what }) => ({
      line: bytes.subarray(0, start).toString().split("\n").length,
      what: what.replace(/\s+/g, " "),
      source: Buffer.concat([
        bytes.subarray(0, start),
        Buffer.from(replacement),
        bytes.subarray(end),
      ]).toString(),
    }));
}

function span({ src }: SyntaxNode): [start: number, end: number] {
  const [start = 0, length = 0] = src.split(":").map(Number);
  return [start, start + length];
}

function typeOf(node: SyntaxNode): string {
  return (node["typeDescriptions"] as { typeIdentifier?: string } | undefined)?.typeIdentifier ?? "";
}

function children(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node)
    .flat()
    .filter(
      (value): value is SyntaxNode => typeof value === "object" && value !== null && "nodeType" in value,
    );
}
