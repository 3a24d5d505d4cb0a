import { expect } from "chai";
import { padHex } from "viem";
import type { Proof } from "../../../proof/src/proof.ts";
import { owner } from "../../support/chain/accounts.ts";
import { bothOpinions } from "../../support/proof/both-verifiers.ts";
import { someAsset, worldWith } from "../../support/proof/world.ts";

const bytes = (count: number) => `0x${"00".repeat(count)}`;
const many = <Item>(count: number, item: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => item(at));
const links = (count: number) =>
  many(count, (at) => ({ child: padHex(`0x${at.toString(16)}`, { size: 32 }), proof: [] }));
const lists = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const zeros = (count: number) => `[${many(count, () => "0").join()}]`;

describe("two verifiers of proof documents, given one that is at a bound", () => {
  let proof: Proof;
  let text: string;
  before(async () => {
    const asset = someAsset(owner.address, { data: "x" });
    proof = await (await worldWith(asset)).prove(asset);
    text = JSON.stringify(proof);
  });

  const changed = (members: object) => JSON.stringify({ ...proof, ...members });
  const inEnvelope = (meta: string) => `{"meta":${meta},"value":${text}}`;
  const filled = (length: number) => text + " ".repeat(length - Buffer.byteLength(text));
  /** Values of the bare document: each member's and item's, and the document itself. */
  const countOf = (value: unknown): number =>
    1 +
    (typeof value === "object" && value !== null ? Object.values(value) : []).reduce<number>(
      (sum, inner) => sum + countOf(inner),
      0,
    );
  /** Beside the document there are the envelope, the list and what is in it. */
  const withValues = (count: number) => inEnvelope(zeros(count - countOf(proof) - 2));

  const cases: [what: string, readable: () => string | Uint8Array, unreadable: () => string | Uint8Array][] =
    [
      ["bytes of the document", () => filled(4 * 1024 * 1024), () => filled(4 * 1024 * 1024 + 1)],
      ["values", () => withValues(50_000), () => withValues(50_001)],
      ["depth of lists", () => inEnvelope(lists(7)), () => inEnvelope(lists(8))],
      ["depth of values", () => inEnvelope('{"a":[[[[[0]]]]]}'), () => inEnvelope('{"a":[[[[[[0]]]]]]}')],
      ["links", () => changed({ links: links(256) }), () => changed({ links: links(257) })],
      [
        "nodes",
        () => changed({ account: { proof: many(64, () => "0x00") } }),
        () => changed({ account: { proof: many(65, () => "0x00") } }),
      ],
      [
        "bytes of a node",
        () => changed({ assetSlot: { proof: [bytes(1_024)] } }),
        () => changed({ assetSlot: { proof: [bytes(1_025)] } }),
      ],
      [
        "bytes of a header",
        () => changed({ block: { ...proof.block, header: bytes(16_384) } }),
        () => changed({ block: { ...proof.block, header: bytes(16_385) } }),
      ],
      ["numbers", () => changed({ chainId: 2 ** 53 - 1 }), () => changed({ chainId: 2 ** 53 })],
      ["numbers in meta", () => inEnvelope("-1.5e400"), () => inEnvelope("-01.5")],
      [
        "characters",
        () => text.replace('"x"', '"\\ud83d\\udcdc\\u0000"'),
        () => text.replace('"x"', '"\\ud83d"'),
      ],
      ["characters in meta", () => inEnvelope('{"\\ud83d":"\\ud83d"}'), () => inEnvelope('"\\ud83"')],
      ["names", () => inEnvelope('[{"a":1},{"a":1}]'), () => inEnvelope('{"a":1,"\\u0061":1}')],
      ["byte order marks", () => `\ufeff${text}`, () => `\ufeff\ufeff${text}`],
      [
        "UTF-8",
        () => text.replace('"x"', '"\u{10ffff}"'),
        () => Buffer.from(text.replace('"x"', '"\xff"'), "latin1"),
      ],
    ];
  for (const [what, readable, unreadable] of cases) {
    it(`agree that it may be read, and not what is beyond: ${what}`, () => {
      // What was read has an id to check, be it another.
      const idsOf = (document: string | Uint8Array) =>
        bothOpinions(Buffer.from(document as string), {}).map(({ id }) => id !== "cannot check");
      expect(idsOf(readable())).to.deep.equal([true, true]);
      expect(idsOf(unreadable())).to.deep.equal([false, false]);
    });
  }
});
