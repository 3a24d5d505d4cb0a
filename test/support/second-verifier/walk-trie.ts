import { dataLength, decodeRlp, encodeRlp, type RlpStructuredData } from "ethers";
import { keccak256 } from "./keccak256.ts";

/** What was to be proven is not: bytes are missing, too many, or other than they must be. */
export class Broken extends Error {
  override readonly name = "Broken";
}

const emptyTrie = keccak256("0x80");

/**
 * The value at a key of a Merkle Patricia trie, or undefined where its absence is proven.
 * @param key 32 bytes
 * @throws Broken when the nodes prove neither
 */
export function walkTrie(root: string, key: string, nodes: readonly string[]): string | undefined {
  const [only = "0x80", ...more] = nodes;
  if (root === emptyTrie && only === "0x80" && more.length === 0) return undefined;
  const unused = [...nodes];
  const nodeOf = (hash: string): RlpStructuredData[] => {
    const bytes = unused.shift();
    if (bytes === undefined || keccak256(bytes) !== hash) throw new Broken("a node is missing or another");
    return decodeList(bytes);
  };
  const follow = (reference: Reference) => (Array.isArray(reference) ? reference : nodeOf(reference));
  const found = (value: string | undefined): string | undefined => {
    if (unused.length > 0) throw new Broken("nodes are left over");
    return value;
  };

  let rest = key.slice(2);
  let node = nodeOf(root);
  for (;;) {
    if (node.length === 17) {
      if (rest === "" || node[16] !== "0x") throw new Broken("a key ends at a branch");
      const child = node[Number.parseInt(rest.charAt(0), 16)];
      if (child === "0x") return found(undefined);
      rest = rest.slice(1);
      node = follow(referenceIn(child));
      continue;
    }
    const [path, second] = node;
    if (node.length !== 2 || typeof path !== "string") throw new Broken("no form of a node");
    const { leaf, nibbles } = readPath(path);
    const isOnTheWay = rest.startsWith(nibbles);
    if (leaf) {
      const isWhole = nibbles.length === rest.length && typeof second === "string" && second !== "0x";
      if (!isWhole) throw new Broken("a leaf without a value, or whose path is too short or too long");
      return found(isOnTheWay ? second : undefined);
    }
    const isWhole = nibbles !== "" && nibbles.length < rest.length;
    if (!isWhole) throw new Broken("an extension with a path of such length");
    if (!isOnTheWay) return found(undefined);
    rest = rest.slice(nibbles.length);
    node = follow(referenceIn(second));
  }
}

/** The hash of a node in the list, or a node that is embedded. */
type Reference = string | RlpStructuredData[];

function referenceIn(item: RlpStructuredData | undefined): Reference {
  const length = item && dataLength(Array.isArray(item) ? encodeRlp(item) : item);
  const isReference = item && length && (Array.isArray(item) ? length < 32 : length === 32);
  if (!isReference) throw new Broken("no reference to a node");
  return item;
}

/** Takes the flag from a path: an odd number of nibbles stands right behind it, an even one behind a zero. */
function readPath(path: string): { leaf: boolean; nibbles: string } {
  const match = /^0x(?:[13]|[02]0)/.exec(path);
  if (match === null) throw new Broken("a path without a flag");
  return { leaf: path.charAt(2) >= "2", nibbles: path.slice(match[0].length) };
}

/**
 * The items of a list in canonical RLP.
 * @throws Broken
 */
export function decodeList(bytes: string): RlpStructuredData[] {
  const items = decode(bytes);
  if (!Array.isArray(items)) throw new Broken("no list in RLP");
  return items;
}

/**
 * A byte string in canonical RLP.
 * @throws Broken
 */
export function decodeBytes(bytes: string): string {
  const item = decode(bytes);
  if (Array.isArray(item)) throw new Broken("no byte string in RLP");
  return item;
}

/** The decoder takes more forms than the one that is canonical; its encoder writes that alone. */
function decode(bytes: string): RlpStructuredData {
  let decoded: RlpStructuredData;
  try {
    decoded = decodeRlp(bytes);
  } catch (error) {
    throw new Broken("no RLP", { cause: error });
  }
  if (encodeRlp(decoded) !== bytes) throw new Broken("no canonical RLP");
  return decoded;
}
