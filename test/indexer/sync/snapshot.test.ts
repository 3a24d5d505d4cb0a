import { expect } from "chai";
import { network } from "hardhat";
import { pino } from "pino";
import { createPublicClient, http, keccak256, stringToHex } from "viem";
import { openPool } from "../../../db/core/pool.ts";
import { assetsOnChain } from "../../../db/reads/chain-asset.ts";
import { readIndexPosition } from "../../../db/reads/index-position.ts";
import { beginIndex } from "../../../indexer/sync/begin.ts";
import { createSync } from "../../../indexer/sync/sync.ts";
import { connectNode } from "../../../rpc/node.ts";
import { deployRegistry } from "../../../scripts/contracts/deploy-registry.ts";
import { assetId } from "../../support/asset-id.ts";
import { deployerKey, owner } from "../../support/chain/accounts.ts";
import { createDatabase } from "../../support/database/postgres.ts";
import { calldataOf, sampleDetails } from "../../support/rigs/rig.ts";

describe("a Hardhat node that is set back to a snapshot", () => {
  it("is followed onto its new blocks, and what they do not hold is gone", async () => {
    const server = await network.createServer("default", "127.0.0.1", 0);
    const { port } = await server.listen();
    const url = `http://127.0.0.1:${port}`;
    const database = await createDatabase();
    const pool = openPool(database.url, { application: "test" });
    try {
      const chain = createPublicClient({ transport: http(url) });
      const { registry: address, chainId, blockNumber } = await deployRegistry({ rpcUrl: url, deployerKey });
      const node = connectNode([url]);
      await beginIndex(pool, node, { registry: address, startBlock: blockNumber });
      const sync = createSync({ pool, node, confirmations: 5, log: pino({ level: "silent" }) });
      const catchUp = async () => {
        while (await sync.step());
      };

      const create = async (text: string) => {
        const content = { author: owner.address, salt: keccak256(stringToHex(text)), details: sampleDetails };
        const serializedTransaction = await owner.signTransaction({
          type: "eip1559",
          chainId,
          to: address,
          data: calldataOf("0x", { kind: "create", ...content }),
          nonce: await chain.getTransactionCount({ address: owner.address }),
          gas: 200_000n,
          maxFeePerGas: 10n ** 10n,
          maxPriorityFeePerGas: 10n ** 9n,
        });
        await chain.sendRawTransaction({ serializedTransaction });
        return assetId({ chainId, address }, content);
      };
      const rpc = (method: string, params: unknown[]) => chain.request({ method, params } as never);

      const kept = await create("kept");
      const snapshot = await rpc("evm_snapshot", []);
      const lost = await create("lost");
      await catchUp();
      expect(await assetsOnChain(pool, [kept, lost])).to.deep.equal(new Set([kept, lost]));

      await rpc("evm_revert", [snapshot]);
      await catchUp();
      const fresh = [await create("fresh 1"), await create("fresh 2")];
      await catchUp();
      expect(await assetsOnChain(pool, [kept, lost, ...fresh])).to.deep.equal(new Set([kept, ...fresh]));
      expect((await readIndexPosition(pool))?.blockNumber).to.equal(Number(await chain.getBlockNumber()));
    } finally {
      await pool.end();
      await database.drop();
      await server.close();
    }
  });
});
