import { verifyMerkleProof } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { expect } from "chai";
import fc from "fast-check";
import { keccak256, toBytes } from "viem";
import { type Walk, walkTrie } from "../../../proof/src/trie/walk.ts";
import { bytes, hex, trieOf } from "../../support/proof/trie.ts";

/** A key whose nibbles begin as told, filled up with one digit. */
const keyOf = (start: string, fill = "0") => bytes(`0x${start.padEnd(64, fill)}`);
const long = new Uint8Array(40).fill(7);
const short = Uint8Array.of(5);
const hashOf = (node: Uint8Array) => toBytes(keccak256(node));
const inWords = (walk: Walk) =>
  walk.outcome === "present"
    ? `present ${hex(walk.value)}`
    : walk.outcome === "broken"
      ? `broken: ${walk.why}`
      : "absent";

describe("walkTrie", () => {
  it("finds values, and shows that others are not there, in tries of every shape", async () => {
    const shapes: Record<string, [Uint8Array, Uint8Array][]> = {
      "one leaf": [[keyOf("1"), long]],
      "a branch": [
        [keyOf("1"), long],
        [keyOf("2"), long],
      ],
      "an extension": [
        [keyOf("abc1"), long],
        [keyOf("abc2"), long],
      ],
      "an extension of an odd and one of an even length": [
        [keyOf("abcd1"), long],
        [keyOf("abcd21"), long],
        [keyOf("abcd22"), long],
        [keyOf("abcd2333331"), long],
        [keyOf("abcd2333332"), long],
      ],
      // Keys that differ in their last nibbles alone, whose leaves are shorter than a hash.
      "embedded leaves": [
        [keyOf("", "a"), short],
        [keyOf("a".repeat(63), "b"), short],
        [keyOf("5"), long],
      ],
      "an embedded branch behind an extension": [
        [keyOf(`${"a".repeat(62)}11`), short],
        [keyOf(`${"a".repeat(62)}12`), short],
      ],
    };
    for (const [name, entries] of Object.entries(shapes)) {
      const trie = await trieOf(entries);
      for (const [key, value] of entries) {
        expect(inWords(walkTrie(trie.root, key, await trie.prove(key))), name).to.equal(
          `present ${hex(value)}`,
        );
      }
      for (const start of [
        "0",
        "1",
        "2",
        "abc",
        "abc3",
        "abcd",
        "abcd23",
        "abcd233333",
        "abd",
        "f",
        "a".repeat(62),
      ]) {
        const key = keyOf(start, "9");
        expect(inWords(walkTrie(trie.root, key, await trie.prove(key))), `${name}, ${start}`).to.equal(
          "absent",
        );
      }
    }
  });

  it("shows of an empty trie, by no nodes or by its empty root, that it has no key, and of no other", async () => {
    const empty = await trieOf([]);
    expect(inWords(walkTrie(empty.root, keyOf("1"), []))).to.equal("absent");
    expect(inWords(walkTrie(empty.root, keyOf("1"), [Uint8Array.of(0x80)]))).to.equal("absent");
    expect(inWords(walkTrie(empty.root, keyOf("1"), [Uint8Array.of(0xc0)]))).to.match(/^broken/);
    expect(inWords(walkTrie(empty.root, keyOf("1"), [Uint8Array.of(0x80), Uint8Array.of(0x80)]))).to.match(
      /^broken/,
    );
    const trie = await trieOf([[keyOf("1"), long]]);
    for (const nodes of [[], [Uint8Array.of(0x80)]]) {
      expect(inWords(walkTrie(trie.root, keyOf("2"), nodes))).to.equal(
        "broken: it has no nodes, and the trie is not empty",
      );
    }
  });

  it("takes no missing node for an absence, and no node too many, of another order or of another trie", async () => {
    const trie = await trieOf(
      Array.from({ length: 50 }, (_, at) => [hashOf(Uint8Array.of(at)), long] as const),
    );
    const other = await trieOf([[keyOf("1"), long]]);
    const key = hashOf(Uint8Array.of(7));
    const nodes = await trie.prove(key);
    expect(nodes.length).to.be.at.least(3);
    const [first, second, ...rest] = nodes as [Uint8Array, Uint8Array, ...Uint8Array[]];
    const broken: [Uint8Array[], string][] = [
      [nodes.slice(0, -1), `it ends behind node ${nodes.length - 1}, before the key does`],
      [nodes.slice(1), "node 1 is not the one that the root refers to"],
      [[first, ...rest], "node 2 is not the one that node 1 refers to"],
      [[second, first, ...rest], "node 1 is not the one that the root refers to"],
      [[...nodes, first], `it goes on behind node ${nodes.length}, where the key ends`],
      [[first, first, second, ...rest], "node 2 is not the one that node 1 refers to"],
      [await other.prove(keyOf("1")), "node 1 is not the one that the root refers to"],
    ];
    for (const [list, why] of broken)
      expect(inWords(walkTrie(trie.root, key, list))).to.equal(`broken: ${why}`);
    const absent = keyOf("0123456789");
    const proof = await trie.prove(absent);
    expect(inWords(walkTrie(trie.root, absent, proof))).to.equal("absent");
    expect(inWords(walkTrie(trie.root, absent, proof.slice(0, -1)))).to.match(/^broken/);
    expect(inWords(walkTrie(trie.root, absent, [...proof, first]))).to.match(/^broken/);
  });

  describe("given a root over nodes of another form", () => {
    const key = keyOf("1");
    const rest = bytes(`0x20${"0".repeat(62)}`).slice(0, 32);
    const leafPath = bytes(`0x31${"00".repeat(31)}`);
    const empties = Array.from({ length: 17 }, () => new Uint8Array(0));
    const branch = (at: number, item: unknown) =>
      empties.map((empty, index) => (index === at ? item : empty));
    const forms: Record<string, unknown> = {
      "a text": long,
      "an empty list": [],
      "three items": [leafPath, long, long],
      "sixteen items": empties.slice(1),
      "a branch with a value": branch(16, long),
      "a branch with a short reference": branch(1, long.slice(0, 31)),
      "a branch with a long reference": branch(1, long.slice(0, 33)),
      "a branch with an embedded node of 32 bytes": branch(1, [rest, new Uint8Array(0)]),
      "an extension without a path": [Uint8Array.of(0x00), hashOf(long)],
      "an extension to nothing": [Uint8Array.of(0x11), new Uint8Array(0)],
      "an extension as long as the key": [bytes(`0x00${hex(key).slice(2)}`), hashOf(long)],
      "a leaf with a flag that is none": [bytes(`0x51${"00".repeat(31)}`), long],
      "a leaf with a padding that is not zero": [bytes(`0x2f${hex(key).slice(2)}`), long],
      "a leaf with a shorter path": [Uint8Array.of(0x31), long],
      "a leaf with a longer path": [bytes(`0x20${"10"}${"00".repeat(32)}`), long],
      "a leaf without a value": [bytes(`0x20${hex(key).slice(2)}`), new Uint8Array(0)],
      "a leaf with a list": [bytes(`0x20${hex(key).slice(2)}`), [long]],
      "a leaf without a path": [new Uint8Array(0), long],
    };
    for (const [name, form] of Object.entries(forms)) {
      it(`is broken by ${name}`, () => {
        const node = RLP.encode(form as never);
        expect(inWords(walkTrie(hashOf(node), key, [node]))).to.match(
          /^broken: node 1 (is no node|has a form)/,
        );
      });
    }

    it("finds the leaf itself, of which they are changed", () => {
      const node = RLP.encode([bytes(`0x20${hex(key).slice(2)}`), long]);
      expect(inWords(walkTrie(hashOf(node), key, [node]))).to.equal(`present ${hex(long)}`);
    });

    for (const [name, node] of Object.entries({
      "bytes behind the list": Uint8Array.of(...RLP.encode([bytes(`0x20${hex(key).slice(2)}`), long]), 0),
      "a byte with a prefix": bytes(`0xe4a120${hex(key).slice(2)}8105`),
      "a length of the long form": bytes(`0xf823a120${hex(key).slice(2)}05`),
    })) {
      it(`is broken by RLP that is not canonical: ${name}`, () => {
        expect(inWords(walkTrie(hashOf(node), key, [node]))).to.equal("broken: node 1 is no node of a trie");
      });
    }
  });

  it("agrees with another library, on whole proofs and on changed ones", async () => {
    const keys = fc.integer({ min: 0, max: 255 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(keys, { minLength: 1, maxLength: 40 }),
        keys,
        fc.nat(),
        fc.integer({ min: 0, max: 255 }),
        async (present, asked, place, byte) => {
          const trie = await trieOf(
            present.map((at) => [hashOf(Uint8Array.of(at)), Uint8Array.of(1, at)] as const),
          );
          const key = hashOf(Uint8Array.of(asked));
          const nodes = await trie.prove(key);
          const expected = present.includes(asked) ? `present ${hex(Uint8Array.of(1, asked))}` : "absent";
          expect(inWords(walkTrie(trie.root, key, nodes))).to.equal(expected);
          const changed = nodes.map((node) => Uint8Array.from(node));
          const node = changed[place % changed.length] as Uint8Array;
          node[place % node.length] = byte;
          const second = await verifyMerkleProof(key, changed, { root: trie.root }).then(
            (value) => (value === null ? "absent" : `present ${hex(value)}`),
            () => "broken",
          );
          expect(inWords(walkTrie(trie.root, key, changed)).split(":")[0]).to.equal(second);
        },
      ),
      { numRuns: 100, seed: 1 },
    );
  });
});
