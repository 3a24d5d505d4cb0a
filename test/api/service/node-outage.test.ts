import { expect } from "chai";
import type { Hex } from "viem";
import { expectError, nowhere, startApi, type TestApi } from "../../support/api.ts";
import { type Rewrite, startNodeProxy } from "../../support/chain/node-proxy.ts";
import { useSigning } from "../../support/rigs/signing-rig.ts";
import { signAs } from "../../support/sign.ts";

describe("transactions, given a node", () => {
  const signing = useSigning();

  /** A service of its own behind a node that answers otherwise, with a request of the author and its call. */
  async function withNode(
    url: string,
    test: (api: TestApi, path: string, assetId: string) => Promise<void>,
  ): Promise<void> {
    const api = await startApi({ rpcUrl: url, registry: signing.api.registry });
    try {
      const asset = (await api.post("/assets/", { name: "A", author: signing.author.address })).value;
      await test(api, `/transactions/${asset.transactionId}`, asset.id);
    } finally {
      await api.stop();
    }
  }

  async function withLies(
    rewrites: Record<string, Rewrite>,
    test: Parameters<typeof withNode>[1],
  ): Promise<void> {
    const node = await startNodeProxy(signing.anvil.url, rewrites);
    try {
      await withNode(node.url, test);
    } finally {
      node.stop();
    }
  }

  /** The request's transaction, signed without what the node would say. */
  async function signed(api: TestApi, path: string): Promise<Hex> {
    const { rows } = await api.pool.query("select calldata from service.requests where id = $1", [
      path.split("/").at(-1),
    ]);
    const data = `0x${rows[0].calldata.toString("hex")}` as const;
    return signAs(signing.author, { ...(await signing.toSign()), data });
  }

  it("that is sick: it blames neither the call nor the signature", async () => {
    const sick = () => ({ error: { code: -32000, message: "missing trie node" } });
    const author = signing.author.address.toLowerCase();
    await withLies(
      {
        eth_call: sick,
        eth_estimateGas: sick,
        eth_getCode: ([address]) =>
          String(address).toLowerCase() === author ? { result: "0x6001" } : undefined,
      },
      async (api, path) => {
        expectError(await api.get(path), 503, "NODE_UNAVAILABLE");
        const answer = await api.post(`${path}/revoke`, { signature: `0x${"11".repeat(65)}` });
        expectError(answer, 503, "NODE_UNAVAILABLE");
      },
    );
  });

  it("that is down, and another URL beside it: it asks that one", async () => {
    await withNode(`${nowhere},${signing.anvil.url}`, async (api, path) => {
      const given = (await api.get(path)).value;
      const signedTransaction = await signAs(signing.author, given, { nonce: given.nextNonce });
      expect((await api.post(`${path}/submit`, { signedTransaction })).status).to.equal(202);
    });
  });

  it("of another chain: it says nothing of what to sign, and stores nothing that could not be checked", async () => {
    await withLies({ eth_chainId: () => ({ result: "0x1" }) }, async (api, path, assetId) => {
      expectError(await api.get(path), 503, "NODE_UNAVAILABLE");
      const signedTransaction = await signed(api, path);
      expectError(await api.post(`${path}/submit`, { signedTransaction }), 503, "NODE_UNAVAILABLE");
      expect((await api.get(`/assets/${assetId}/status`)).value.state).to.equal("Received");
    });
  });

  it("that is down: it cannot say or check what to sign, and still takes refusals and reported hashes", async () => {
    await withNode(nowhere, async (api, path, assetId) => {
      const unanswered = await api.get(path);
      expectError(unanswered, 503, "NODE_UNAVAILABLE");
      expect(unanswered.headers.get("retry-after")).to.equal("5");
      const signedTransaction = await signed(api, path);
      expectError(await api.post(`${path}/submit`, { signedTransaction }), 503, "NODE_UNAVAILABLE");
      const transactionHash = `0x${"12".repeat(32)}`;
      expect((await api.post(`${path}/submit`, { transactionHash })).status).to.equal(202);
      expect((await api.get(`/assets/${assetId}/status`)).value.state).to.equal("Received");
      const { refusal } = (await signing.read()).value;
      const message = { ...refusal.message, transactionId: path.split("/").at(-1), asset: assetId };
      const signature = await signing.author.signTypedData({ ...refusal, message });
      expect((await api.post(`${path}/revoke`, { signature })).value.state).to.equal("RevokedByUser");
    });
  });
});
