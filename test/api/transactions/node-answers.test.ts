import { expect } from "chai";
import { encodeErrorResult } from "viem";
import { estimateGas } from "../../../api/transactions/gas-estimate.ts";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { interactive } from "../../../rpc/client/policy.ts";
import { NodeError } from "../../../rpc/errors/node-error.ts";
import { connectNode, type Node } from "../../../rpc/node.ts";
import { nowhere } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { type RpcAnswer, startNodeProxy } from "../../support/chain/node-proxy.ts";

const HASH = `0x${"11".repeat(32)}` as const;
const failed = (code: number, message: string, data?: unknown): RpcAnswer => ({
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

describe("what the API asks the node", () => {
  let node: Awaited<ReturnType<typeof startNodeProxy>>;
  let chain: Node;
  let answers: Record<string, RpcAnswer>;
  let asked: unknown[];

  before(async () => {
    const method = (name: string) => (params: unknown[]) => {
      asked.push(...params);
      return answers[name];
    };
    const names = ["eth_estimateGas", "eth_call", "eth_getCode", "eth_getTransactionCount", "eth_getBalance"];
    node = await startNodeProxy(nowhere, Object.fromEntries(names.map((name) => [name, method(name)])));
    chain = connectNode([node.url], { policy: interactive });
  });
  after(() => node.stop());
  beforeEach(() => {
    answers = { eth_getCode: { result: "0x6001" } };
    asked = [];
  });

  const estimate = () => estimateGas(chain, { from: owner.address, to: owner.address, data: "0x12345678" });
  const accepted = () => chain.acceptedByContract(owner.address, HASH, "0x1234");
  async function expectOutage(question: Promise<unknown>): Promise<void> {
    const outcome = await question.catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(NodeError);
  }

  for (const [what, answer] of [
    ["an internal error", failed(-32603, "Internal error")],
    ["a missing header", failed(-32000, "header not found")],
    ["missing state", failed(-32000, "missing trie node 1234 (path ) <nil>")],
    ["too many requests", failed(-32005, "rate limit exceeded")],
    ["too many requests, by another code", failed(-32000, "daily request count exceeded")],
    ["an unknown method", failed(-32601, "the method does not exist")],
    ["an error with a note", failed(-32000, "try later", { see: "https://node.example" })],
  ] as const) {
    it(`takes ${what} for an outage, and for no answer about the call`, async () => {
      answers["eth_estimateGas"] = answers["eth_call"] = answer;
      await expectOutage(estimate());
      await expectOutage(accepted());
    });
  }

  for (const result of ["0x", "much", null, {}, "0x1", `0x${"f".repeat(64)}`]) {
    it(`takes the estimate ${JSON.stringify(result)} for an outage`, async () => {
      answers["eth_estimateGas"] = { result };
      await expectOutage(estimate());
    });
  }

  it("gives a contract's check an end by its gas, which takes a node far less than three seconds", async () => {
    answers["eth_call"] = failed(-32000, "out of gas");
    expect(await accepted()).to.equal(false);
    const limits = asked.flatMap((one) => (one instanceof Object && "gas" in one ? [Number(one.gas)] : []));
    expect(limits).to.have.length(1);
    expect(limits[0]).to.be.within(1_000_000, 5_000_000);
  });

  for (const result of ["0x", "0x01", null, `0x1626ba7e${"0".repeat(56)}`]) {
    it(`takes ${JSON.stringify(result)} about a signature for an outage`, async () => {
      answers["eth_call"] = { result };
      await expectOutage(accepted());
    });
  }

  for (const result of ["0x", "-0x1", null, "0x20000000000000", `0x${"f".repeat(64)}`]) {
    it(`takes the nonce ${JSON.stringify(result)} for an outage`, async () => {
      answers["eth_getTransactionCount"] = { result };
      await expectOutage(chain.nextNonce(owner.address, "pending"));
    });
  }

  const refusal = encodeErrorResult({ abi: registryAbi, errorName: "AssetNameEmpty" });
  const tooLong = encodeErrorResult({
    abi: registryAbi,
    errorName: "AssetTextTooLong",
    args: [7, 9_000n, 8_192n],
  });
  for (const [what, answer, warning] of [
    ["a text that is too long", failed(3, "SECRET", tooLong), "uri has 9000 bytes, and may have 8192."],
    [
      "a revert",
      failed(3, "execution reverted: SECRET"),
      "This call would fail, and the chain gives no reason.",
    ],
    [
      "a revert told in words alone",
      failed(-32000, "execution reverted"),
      "This call would fail, and the chain",
    ],
    [
      "an error of the registry",
      failed(3, "SECRET", refusal),
      "The registry would refuse this call: the name",
    ],
    ["an unknown error", failed(-32000, "SECRET", "0xdeadbeef00"), "it answers the error 0xdeadbeef."],
    ["no funds", failed(-32000, "insufficient funds for SECRET"), "the account cannot pay its gas."],
    ["too little gas", failed(-32000, "out of gas"), "it runs out of gas."],
  ] as const) {
    it(`takes ${what} for an answer, and repeats nothing of the node's words`, async () => {
      answers["eth_estimateGas"] = answers["eth_call"] = answer;
      const { gas, warning: given } = await estimate();
      expect(gas).to.equal(null);
      expect(given).to.include(warning).and.not.include("SECRET");
      expect(await accepted()).to.equal(false);
    });
  }

  it("reads a balance", async () => {
    answers["eth_getBalance"] = { result: "0x10" };
    expect(await chain.balance(owner.address)).to.equal(16n);
  });
});
