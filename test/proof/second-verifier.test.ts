import { expect } from "chai";
import type { Given, Proof } from "../../proof/src/proof.ts";
import { bothOpinions } from "../support/proof/both-verifiers.ts";
import { proofChains } from "../support/proof/chains.ts";
import { fileHash, type RealProofs, realProofs } from "../support/proof/real-proofs.ts";

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
  for (const [chain, start] of Object.entries(proofChains)) {
    describe(`given proofs made on ${chain}`, () => {
      let proofs: RealProofs;
      before(async () => {
        const { release, ...rest } = await start();
        try {
          proofs = await realProofs({ ...rest, release });
        } finally {
          await release();
        }
      });
      const saidOf = (what: keyof RealProofs, given: Given = {}) =>
        opinion(bytesOf(proofs[what]), { ...trusting(proofs[what]), ...given });
      const statesOf = (what: keyof RealProofs) => {
        const said = saidOf(what);
        expect(said).to.include({ verdict: "valid", ...whole, links: "valid" });
        return proofs[what].links.map(({ child }) => said[child]?.replace(/,.*/, ""));
      };

      it("agree on an asset, and on nothing where no block is trusted", () => {
        expect(saidOf("an asset")).to.include({ verdict: "valid", ...whole, links: "cannot check" });
        expect(opinion(bytesOf(proofs["an asset"]), {})).to.include({
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
        const children = proofs["an earlier block"].links.map(({ child }) => child);
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
        const { registry } = proofs["another registry"];
        expect(saidOf("another registry")).to.include({
          ...{ verdict: "cannot check", inclusion: "cannot check", ...notIncluded },
        });
        expect(saidOf("another registry", { registry })).to.include({ verdict: "valid", ...whole });
        expect(saidOf("an asset", { registry })).to.include({ verdict: "invalid", inclusion: "invalid" });
      });

      it("agree on another block hash, and on one of another number", () => {
        const { hash, number } = proofs["an earlier block"].block;
        expect(saidOf("an asset", { block: { hash, source: "" } })).to.include({
          ...{ verdict: "invalid", block: "invalid", inclusion: "valid" },
        });
        expect(saidOf("an asset", { block: { hash, number, source: "" } })).to.include({
          ...{ verdict: "cannot check", block: "cannot check", inclusion: "valid" },
        });
      });
    });
  }
});
