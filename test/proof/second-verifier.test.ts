import { expect } from "chai";
import { checkNames, type Given, type Proof } from "../../proof/src/proof.ts";
import { createRandom } from "../simulation/random.ts";
import { bothOpinions } from "../support/proof/both-verifiers.ts";
import { proofChains } from "../support/proof/chains.ts";
import { fileHash, type RealProofs, realProofs } from "../support/proof/real-proofs.ts";
import { testSeed } from "../support/runner/seed.ts";
import { type Place, placesOf } from "./fuzz/places.ts";
import { mutatedCase } from "./second-verifier/cases.ts";

const bytesOf = (proof: Proof) => new TextEncoder().encode(JSON.stringify(proof));
const trusting = ({ block: { hash, number } }: Proof): Given => ({
  block: { hash, number, source: "the test" },
});

/** What both verifiers say; they must say the same. */
function opinion(document: Uint8Array, given: Given) {
  const [first, second] = bothOpinions(document, given);
  expect(second, "the second verifier").to.deep.equal(first);
  return first;
}

const whole = { block: "valid", id: "valid", inclusion: "valid", author: "valid", time: "valid" };
const notIncluded = { author: "cannot check", time: "cannot check", links: "cannot check" };

describe("two verifiers of proof documents", () => {
  const made: Record<string, RealProofs> = {};
  before(async () => {
    for (const [name, start] of Object.entries(proofChains)) {
      const chain = await start();
      try {
        made[name] = await realProofs(chain);
      } finally {
        await chain.release();
      }
    }
  });

  for (const chain of Object.keys(proofChains)) {
    describe(`given proofs made on ${chain}`, () => {
      const proofOf = (what: keyof RealProofs) => made[chain]?.[what] as Proof;
      const saidOf = (what: keyof RealProofs, given: Given = {}) =>
        opinion(bytesOf(proofOf(what)), { ...trusting(proofOf(what)), ...given });
      const statesOf = (what: keyof RealProofs) => {
        const said = saidOf(what);
        expect(said).to.include({ verdict: "valid", ...whole, links: "valid" });
        return proofOf(what).links.map(({ child }) => said[child]?.replace(/,.*/, ""));
      };

      it("agree on an asset, and on nothing where no block is trusted", () => {
        expect(saidOf("an asset")).to.include({ verdict: "valid", ...whole, links: "cannot check" });
        expect(opinion(bytesOf(proofOf("an asset")), {})).to.include({
          ...{ verdict: "cannot check", ...whole, block: "cannot check" },
        });
      });

      it("agree on the file, on another file, and on a document that names none", () => {
        const other = { ...fileHash, digest: fileHash.digest.replace("b", "c") };
        expect(saidOf("an earlier block", { fileHash })).to.include({ verdict: "valid", content: "valid" });
        expect(saidOf("an earlier block", { fileHash: other })).to.include({
          ...{ verdict: "invalid", content: "invalid" },
        });
        expect(saidOf("an asset", { fileHash })).to.include({
          verdict: "cannot check",
          content: "cannot check",
        });
      });

      it("agree on links that stand, were revoked, added again and never added, and at an earlier block", () => {
        expect(statesOf("links in every state")).to.deep.equal([
          ...["standing", "revoked", "standing", "never added"],
        ]);
        expect(statesOf("an earlier block")).to.deep.equal([
          "standing",
          "standing",
          "standing",
          "never added",
        ]);
        expect(statesOf("a link to an unknown child")).to.deep.equal(["never added"]);
      });

      it("agree on children that are named, in the document and not", () => {
        const children = proofOf("an earlier block").links.map(({ child }) => child);
        expect(saidOf("an earlier block", { children })).to.include({ verdict: "valid", links: "valid" });
        for (const what of ["a link to an unknown child", "an asset"] as const) {
          expect(saidOf(what, { children })).to.include({ verdict: "cannot check", links: "cannot check" });
        }
      });

      it("agree on what is not registered, cancelled, or before the registry", () => {
        for (const what of [
          "an unknown asset",
          "a cancelled creation",
          "a block before the registry",
        ] as const) {
          expect(saidOf(what), what).to.include({
            ...{ verdict: "invalid", block: "valid", id: "valid", inclusion: "invalid", ...notIncluded },
          });
        }
      });

      it("agree on another registry: unknown, named, or not the one that was named", () => {
        const { registry } = proofOf("another registry");
        expect(saidOf("another registry")).to.include({
          ...{ verdict: "cannot check", inclusion: "cannot check", ...notIncluded },
        });
        expect(saidOf("another registry", { registry })).to.include({ verdict: "valid", ...whole });
        expect(saidOf("an asset", { registry })).to.include({ verdict: "invalid", inclusion: "invalid" });
      });

      it("agree on another block hash, and on one of another number", () => {
        const { hash, number } = proofOf("an earlier block").block;
        expect(saidOf("an asset", { block: { hash, source: "" } })).to.include({
          ...{ verdict: "invalid", block: "invalid", inclusion: "valid" },
        });
        expect(saidOf("an asset", { block: { hash, number, source: "" } })).to.include({
          ...{ verdict: "cannot check", block: "cannot check", inclusion: "valid" },
        });
      });
    });
  }

  it("agree on one bit changed in each field, and find it wherever it counts", () => {
    for (const proofs of Object.values(made)) {
      const proof = proofs["links in every state"];
      const verdicts = placesOf(proof).flatMap(({ value }, at) => {
        const changed = structuredClone(proof);
        const { holder, name } = placesOf(changed)[at] as Place;
        if (typeof value === "number") holder[name] = value ^ 1;
        else if (typeof value === "string") holder[name] = flipLastBit(value);
        else return [];
        return [opinion(bytesOf(changed), trusting(proof))["verdict"]];
      });
      // Nothing reads the four facts of the event and the words for people.
      expect(verdicts.filter((verdict) => verdict === "valid")).to.have.length(5);
      expect(verdicts.length).to.be.above(40);
    }
  });

  it("agree on a thousand mutations", () => {
    const seed = testSeed;
    const random = createRandom(seed);
    const proofs = Object.values(made).flatMap((some) => Object.values(some));
    const counts: Record<string, number> = {};
    for (let nth = 1; nth <= 1_000; nth += 1) {
      const { document, given } = mutatedCase(proofs, random);
      const [first, second] = bothOpinions(document, given);
      const what = `mutation ${nth} of seed ${seed}: ${JSON.stringify(given)}\n${Buffer.from(document).toString().slice(0, 20_000)}`;
      expect(second, what).to.deep.equal(first);
      for (const [check, outcome] of Object.entries(first)) {
        counts[`${check} ${outcome}`] = (counts[`${check} ${outcome}`] ?? 0) + 1;
      }
    }
    for (const check of [...checkNames, "verdict"]) {
      for (const outcome of ["valid", "invalid", "cannot check"]) {
        expect(counts[`${check} ${outcome}`] ?? 0, `${check} ${outcome}`).to.be.above(0);
      }
    }
  }).timeout(60_000);
});

/** Changes one bit of bytes in hex, or of a text's last character. */
function flipLastBit(text: string): string {
  const last = text.charCodeAt(text.length - 1) || 0x40;
  if (!/^0x[0-9a-fA-F]+$/.test(text)) return text.slice(0, -1) + String.fromCharCode(last ^ 1);
  const digit = Number.parseInt(text.slice(-1), 16) ^ 1;
  return text.slice(0, -1).toLowerCase() + digit.toString(16);
}
