import { expect } from "chai";
import { createProver } from "../../../api/proofs/prove.ts";
import type { AssetPosition } from "../../../db/reads/asset-positions.ts";
import type { ChainAsset } from "../../../db/reads/chain-asset.ts";
import { type AssetId, mapDetails } from "../../../domain/asset/asset.ts";
import type { ProofQuestion, StateProof } from "../../../rpc/calls/proof.ts";
import { registry } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";

const word = (digits: string): AssetId => `0x${digits.repeat(32)}`;
const position: AssetPosition = {
  ...{ blockNumber: 7, transactionIndex: 0, logIndex: 0, transactionHash: word("aa"), blockHash: word("bb") },
  ...{ createdOn: 1, indexedBlock: 12, finalBlock: 8, proofBlock: { number: 8, hash: word("cc") } },
};
const asset: ChainAsset = {
  ...{ id: word("11"), author: owner.address, salt: word("22"), raw: undefined, contentHash: word("33") },
  ...{ details: mapDetails(() => ""), position, createdOn: 1, updatedOn: 1 },
};
const caller = "tenant-a";
const proof: StateProof = { header: "0x", account: [], slots: [] };

/** A prover, and the questions of it to a node that answers when it is told to. */
function prover() {
  const asked: (ProofQuestion & PromiseWithResolvers<StateProof>)[] = [];
  const served = Object.assign(async () => registry, { recent: async () => registry });
  const stateProof = (question: ProofQuestion) => {
    const waiting = Promise.withResolvers<StateProof>();
    asked.push({ ...question, ...waiting });
    return waiting.promise;
  };
  return { prove: createProver({ stateProof }, served), asked };
}

const turn = () => new Promise(setImmediate);

describe("proofs that are asked for at once", () => {
  it("are made by one question to the node where they are alike, and by another where not", async () => {
    const { prove, asked } = prover();
    const alike = [1, 2, 3].map(() => prove(caller, asset, position, []));
    const others = [
      prove(caller, asset, position, [word("44")]),
      prove(caller, { ...asset, id: word("55") }, position, []),
      prove(caller, asset, { ...position, proofBlock: { number: 9, hash: word("dd") } }, []),
    ];
    await turn();
    expect(asked).to.have.length(4);
    for (const { resolve } of asked) resolve(proof);
    const documents = await Promise.all([...alike, ...others]);
    expect(new Set(documents.slice(0, 3).map((document) => JSON.stringify(document))).size).to.equal(1);
    expect(documents.map(({ links }) => links.length)).to.deep.equal([0, 0, 0, 1, 0, 0]);
  });

  it("are asked for anew when the last ones are made, or have failed", async () => {
    const { prove, asked } = prover();
    const first = prove(caller, asset, position, []);
    await turn();
    asked[0]?.reject(new Error("no node"));
    await first.then(
      () => expect.fail("it was made"),
      (error: Error) => expect(error.message).to.equal("no node"),
    );
    for (const nth of [1, 2]) {
      const next = prove(caller, asset, position, []);
      await turn();
      expect(asked).to.have.length(nth + 1);
      asked[nth]?.resolve(proof);
      await next;
    }
  });

  it("are of the slot of the asset and of the slot of each link, at the final block", async () => {
    const { prove, asked } = prover();
    const made = prove(caller, asset, position, [word("44"), word("55")]);
    await turn();
    asked[0]?.resolve(proof);
    await made;
    expect(asked[0]?.block).to.deep.equal(position.proofBlock);
    expect(asked[0]?.account).to.equal(registry.address);
    expect(new Set(asked[0]?.slots).size).to.equal(3);
  });

  it("are made eight at a time for one caller, whose others wait, and nobody waits for another caller", async () => {
    const { prove, asked } = prover();
    const nth = (index: number): AssetId => `0x${index.toString(16).padStart(64, "0")}`;
    const ask = (who: string, index: number) => prove(who, { ...asset, id: nth(index) }, position, []);
    const taken = Array.from({ length: 58 }, (_, index) => ask(caller, index));
    await turn();
    expect(asked).to.have.length(8);
    const code = await ask(caller, 58).catch((error: { code: string }) => error.code);
    expect(code).to.equal("TOO_MANY_AT_ONCE");
    const other = ask("(everybody)", 0);
    await turn();
    expect(asked).to.have.length(9);
    for (let made = 0; made < 59; made += 1) {
      asked[made]?.resolve(proof);
      await turn();
    }
    expect(await Promise.all([...taken, other])).to.have.length(59);
    expect(asked).to.have.length(59);
  });
});
