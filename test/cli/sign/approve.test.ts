import type { RegistryClient, Submission } from "asset-registry-client";
import { registryAddress } from "asset-registry-proof";
import { expect } from "chai";
import { parseGwei, parseTransaction, recoverTransactionAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Io } from "../../../cli/src/io.ts";
import { Problem } from "../../../cli/src/problem.ts";
import { approve } from "../../../cli/src/sign/approve.ts";
import { type Change, calldataOf } from "../../../cli/src/sign/change.ts";
import type { Signer } from "../../../cli/src/sign/signer.ts";
import { computeAssetId } from "../../../proof/src/proof.ts";

const privateKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const author = privateKeyToAccount(privateKey).address;
const stranger = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const chainId = 31_337;
const texts = {
  ...{ name: "Lease\u001b[2J", data: "", fileName: "lease.pdf", fileType: "pdf", fileSize: "3" },
  ...{ method: "SHA2-256", hash: "ba78", uri: "" },
};
const create: Change = { kind: "create", salt: `0x${"1".repeat(64)}`, texts };
const assetId = computeAssetId({
  chainId,
  registry: registryAddress,
  author,
  salt: `0x${"1".repeat(64)}`,
  ...texts,
});
const [parent, child] = [`0x${"2".repeat(64)}`, `0x${"3".repeat(64)}`];
const link: Change = { kind: "link", parent, children: [child] };

const asked = {
  ...{
    id: "request",
    kind: "create",
    assetId,
    signer: author,
    chainId,
    to: registryAddress,
    state: "Received",
  },
  ...{ data: calldataOf(create), value: "0x0", nextNonce: 7, gas: "0x186a0", warning: null },
  ...{ maxFeePerGas: "0x77359400", maxPriorityFeePerGas: "0x3b9aca00", gasPrice: null },
};

/** What a node says of its chain, and of the author's transactions in blocks and all that it knows. */
type NodeAnswers = {
  eth_chainId?: string | undefined;
  latest?: string | undefined;
  pending?: string | undefined;
};

describe("the approval of a request", () => {
  const signer: Signer = {
    key: { address: author, privateKey: Buffer.from(privateKey.slice(2), "hex") },
    ...{ registry: registryAddress, chain: undefined, mostWei: parseGwei("200"), yes: false, rpc: [] },
  };

  /** Approves what the service asks for; what is submitted, said and asked is kept. */
  async function run(
    transaction: object,
    {
      change = create,
      answer = "yes",
      node,
      ...own
    }: { change?: Change; answer?: string; node?: NodeAnswers } & Partial<Signer> = {},
  ) {
    const done = { submitted: [] as Submission[], said: "", asked: 0 };
    const client = {
      transaction: async () => transaction,
      submit: async (_id: string, body: Submission) => {
        done.submitted.push(body);
        return { id: parent, transactionId: "request", state: "Submitted", transactionHash: "0x1" };
      },
    } as unknown as RegistryClient; // nothing else is called
    const io = {
      stderr: { write: (text: string) => (done.said += text) },
      ask: async () => {
        done.asked += 1;
        return answer;
      },
      signal: new AbortController().signal,
      fetch: async (_url: unknown, { body }: { body: string }) => {
        const { method, params } = JSON.parse(body);
        return Response.json({ result: node?.[(params[1] ?? method) as keyof NodeAnswers] });
      },
    } as unknown as Io; // the rest is not used
    const outcome = await approve(change, "request", client, { ...signer, ...own }, io).catch(
      (error: unknown) => error,
    );
    return { ...done, outcome, problem: outcome instanceof Problem ? outcome : undefined };
  }

  it("shows what is signed in the user's own words, asks, and signs exactly that call", async () => {
    const { submitted, said, asked: questions, problem, outcome } = await run(asked);
    expect(problem).to.equal(undefined);
    expect(outcome).to.include({ id: assetId, state: "Submitted" });
    expect(questions).to.equal(1);
    expect(said).to.contain(`You sign as ${author}, for the registry ${registryAddress} on chain 31337:`);
    expect(said).to.contain(`create the asset ${assetId}`).and.to.contain("name      Lease\\u{1b}[2J\n");
    expect(said).to.contain("at most 0.0002 of the chain's currency (100000 gas at 2 gwei)");
    expect(said).to.contain(", and has the nonce 7.\n");
    const raw = submitted[0]?.signedTransaction as `0x02${string}`;
    expect(parseTransaction(raw)).to.deep.include({
      ...{ type: "eip1559", chainId, nonce: 7, to: registryAddress.toLowerCase(), gas: 100_000n },
      ...{ data: calldataOf(create), maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
    });
    expect(parseTransaction(raw).value ?? 0n).to.equal(0n);
    expect(await recoverTransactionAddress({ serializedTransaction: raw })).to.equal(author);
  });

  it("signs link changes, and legacy transactions where the chain has no other", async () => {
    const legacy = { maxFeePerGas: null, maxPriorityFeePerGas: null, gasPrice: "0x77359400" };
    for (const kind of ["link", "revoke"] as const) {
      const change = { ...link, kind };
      const transaction = { ...asked, kind, assetId: parent, data: calldataOf(change), ...legacy };
      const { submitted, said } = await run(transaction, { change });
      expect(said).to.contain(
        kind === "link" ? `link the asset ${parent} to\n` : `revoke the links of the asset ${parent}`,
      );
      expect(said).to.contain(child);
      const raw = submitted[0]?.signedTransaction as `0x${string}`;
      expect(parseTransaction(raw)).to.deep.include({ type: "legacy", chainId, gasPrice: 2_000_000_000n });
    }
  });

  for (const [what, change, words] of [
    ["another contract", { to: stranger }, "the contract"],
    ["another signer", { signer: stranger }, "the signer"],
    ["another asset", { assetId: parent }, "the asset"],
    ["another kind", { kind: "link" }, "the kind of change"],
    ["currency", { value: "0x1" }, "it sends"],
    ["no value at all", { value: null }, "it sends"],
    [
      "another text",
      { data: calldataOf({ ...create, texts: { ...texts, name: "Loan" } } as Change) },
      "another call",
    ],
    ["another salt", { data: calldataOf({ ...create, salt: parent } as Change) }, "another call"],
    ["a byte more", { data: `${calldataOf(create)}00` }, "another call"],
    ["another call", { data: calldataOf(link) }, "another call"],
  ] as const) {
    it(`refuses ${what}, without asking`, async () => {
      const { submitted, asked: questions, problem } = await run({ ...asked, ...change });
      expect(problem?.code).to.equal("not-as-asked");
      expect(problem?.message).to.contain(words).and.to.contain("Nothing was signed");
      expect({ submitted, questions }).to.deep.equal({ submitted: [], questions: 0 });
    });
  }

  it("refuses another chain than the one that is named", async () => {
    expect((await run(asked, { chain: 1 })).problem?.message).to.contain("the chain is 31337, not 1");
    expect((await run(asked, { chain: chainId })).problem).to.equal(undefined);
  });

  it("refuses another registry than the one that is named", async () => {
    expect((await run(asked, { registry: stranger })).problem?.message).to.contain("the contract");
  });

  it("refuses a fee over the limit, and figures that are none", async () => {
    const costly = await run(asked, { mostWei: parseGwei("1.9") });
    expect(costly.problem).to.include({ code: "fee-too-high" });
    expect(costly.problem?.message).to.contain("2 gwei is over the limit of 1.9 gwei");
    for (const change of [
      ...[{ maxFeePerGas: "many" }, { gas: "0x" }, { maxPriorityFeePerGas: "-1" }, { maxFeePerGas: 5 }],
      ...[{ nextNonce: 1.5 }, { nextNonce: -1 }, { nextNonce: "7" }, { nextNonce: 2 ** 60 }],
    ]) {
      expect((await run({ ...asked, ...change })).problem?.code).to.equal("service-malformed");
    }
  });

  it("says that there is nothing to sign, or that it would fail", async () => {
    const closed = await run({ ...asked, to: null, data: null, nextNonce: null, state: "Confirmed" });
    expect(closed.problem).to.include({ code: "nothing-to-sign" });
    const failing = await run({ ...asked, gas: null, warning: "no funds" });
    expect(failing.problem?.message).to.equal("It would fail on the chain: no funds");
  });

  it("signs nothing without a yes, and asks nobody where it was given before", async () => {
    for (const answer of ["", "y", "no"]) {
      const { submitted, problem } = await run(asked, { answer });
      expect(problem?.code).to.equal("not-confirmed");
      expect(submitted).to.deep.equal([]);
    }
    expect(await run(asked, { yes: true, chain: chainId })).to.deep.include({ asked: 0, problem: undefined });
  });

  it("never promises a block's producer more than it pays at all", async () => {
    const { submitted } = await run({ ...asked, maxPriorityFeePerGas: "0x1000000000000000" });
    const raw = submitted[0]?.signedTransaction as `0x02${string}`;
    expect(parseTransaction(raw)).to.deep.include({
      ...{ maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n },
    });
  });

  it("shows nothing of the service's that a terminal would obey", async () => {
    const evil = "\u001b[2m";
    for (const change of [
      { signer: evil },
      { to: evil },
      { gas: null, warning: evil },
      { to: null, state: evil },
    ]) {
      const { problem } = await run({ ...asked, ...change });
      expect(problem?.message).to.contain("\\u{1b}[2m").and.to.not.contain(evil);
    }
  });

  describe("with a node of the author's own", () => {
    const rpc = ["http://node.example/secret"];
    const node = (inBlocks: number, known = inBlocks, chain = chainId): NodeAnswers => {
      const [latest, pending, eth_chainId] = [inBlocks, known, chain].map((one) => `0x${one.toString(16)}`);
      return { latest, pending, eth_chainId };
    };

    it("takes the nonce that is the next there", async () => {
      for (const yes of [true, false]) {
        const { submitted, said } = await run(asked, { rpc, node: node(5, 7), yes, chain: chainId });
        expect(submitted).to.have.length(1);
        expect(said).to.not.contain("Warning");
      }
    });

    for (const [what, state, words] of [
      ["replace a transaction", node(7, 8), "it takes the place of a transaction of yours"],
      ["wait for others", node(4, 5), "it waits until 2 more transactions of yours were sent"],
    ] as const) {
      it(`says where it would ${what}, and signs that only where somebody looks`, async () => {
        const shown = await run(asked, { rpc, node: state });
        expect(shown.said).to.contain(`Warning: With the nonce 7 ${words}`);
        expect(shown.submitted).to.have.length(1);
        const { submitted, problem } = await run(asked, { rpc, node: state, yes: true, chain: chainId });
        expect(problem?.code).to.equal("nonce-doubtful");
        expect(submitted).to.deep.equal([]);
      });
    }

    for (const [what, state, code] of [
      ["has used the nonce", node(8), "nonce-used"],
      ["is of another chain", node(7, 7, 1), "rpc-other-chain"],
      ["says nothing", {}, "rpc-refused"],
      ["tells no numbers", { eth_chainId: "0x7a69" }, "rpc-refused"],
    ] as const) {
      it(`signs nothing where it ${what}`, async () => {
        const { submitted, problem, asked: questions } = await run(asked, { rpc, node: state });
        expect(problem?.code).to.equal(code);
        expect(problem?.message).to.contain("node.example").and.to.not.contain("secret");
        expect({ submitted, questions }).to.deep.equal({ submitted: [], questions: 0 });
      });
    }
  });
});
