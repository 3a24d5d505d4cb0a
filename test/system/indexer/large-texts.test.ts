import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { encodeDeployData, encodeFunctionData, type Hex, toHex } from "viem";
import { registryTextBytes } from "../../../domain/limits.ts";
import { largestAnswer } from "../../../rpc/transport/answer-size.ts";
import { other } from "../../support/chain/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

const artifact = new URL("../../../artifacts/test/contracts/LargeTexts.sol/LargeTexts.json", import.meta.url);
const eachGas = 5_000_000n;

describe("blocks full of the largest texts that the registry takes", () => {
  let rig: LiarRig;
  let abi: readonly unknown[];
  let author: Hex;

  before(async () => {
    rig = await startLiarRig();
    const compiled = JSON.parse(await readFile(artifact, "utf8")) as { abi: typeof abi; bytecode: Hex };
    abi = compiled.abi;
    const data = encodeDeployData({ abi, bytecode: compiled.bytecode });
    const hash = await send({ data, gas: 2_000_000n });
    await rig.mine();
    const { contractAddress } = await rig.chain.getTransactionReceipt({ hash });
    author = contractAddress as Hex;
  });
  after(() => rig.stop());

  const send = ({ gas, ...call }: { to?: Hex; data: Hex; gas: bigint }) =>
    rig.anvil.rpc<Hex>("eth_sendTransaction", [{ from: other.address, ...call, gas: toHex(gas) }]);

  let salt = 0;
  /** So many assets with the largest data in a block of their own. */
  async function fillBlock(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += 1) {
      salt += 1;
      const args = [rig.registry.address, toHex(salt, { size: 32 }), BigInt(registryTextBytes.data)];
      await send({
        to: author,
        data: encodeFunctionData({ abi, functionName: "createAsset", args }),
        gas: eachGas,
      });
    }
    await rig.mine();
  }

  it("are indexed, in ranges whose answers stay small and at the head", async function () {
    this.timeout(120_000);
    await rig.mine(80);
    for (let block = 0; block < 8; block += 1) await fillBlock(5);
    await rig.mine(130);
    const answers: { blocks: number; bytes: number }[] = [];
    rig.liar.on("eth_getLogs", async ({ params: [place], forward }) => {
      const { fromBlock, toBlock, blockHash } = place as Record<string, Hex>;
      const result = await forward();
      if (blockHash === undefined) {
        const blocks = Number(toBlock) - Number(fromBlock) + 1;
        answers.push({ blocks, bytes: JSON.stringify(result).length });
      }
      return { result };
    });
    await rig.startIndexer();
    await eventually(
      "the filling",
      () => rig.count("assets"),
      (count) => count === salt,
      100,
    );
    const most = largestAnswer([{ method: "eth_getLogs", params: [{ fromBlock: "0x1", toBlock: "0x2" }] }]);
    // What is too much is given up, and so never seen again: what is then asked for is small.
    const refused = answers.findIndex(({ bytes }) => bytes > most);
    expect(refused, "a range that is too much").to.be.at.least(0);
    expect(rig.counted("rpc_failure_total", "too_much")).to.be.at.least(1);
    expect(
      answers.slice(refused + 8).filter(({ blocks, bytes }) => blocks > 1 && bytes > most),
    ).to.deep.equal([]);

    await fillBlock(5);
    await eventually(
      "the block at the head",
      () => rig.count("assets"),
      (count) => count === salt,
      60,
    );
    const { rows } = await rig.pool.query(
      "select min(octet_length(raw_details)) as least from chain.assets where file_digest is null",
    );
    expect(rows[0].least).to.be.at.least(registryTextBytes.data);
  });
});
