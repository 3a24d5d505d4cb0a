import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type Hex, size } from "viem";
import {
  DeployError,
  type DeployOptions,
  deployRegistry,
} from "../../../scripts/contracts/deploy-registry.ts";
import { compiledPin } from "../../../scripts/contracts/pin-registry.ts";
import { FACTORY, FACTORY_CODE, FACTORY_CREATION } from "../../../scripts/deployment/create2.ts";
import { deployerKey, owner } from "../../support/chain/accounts.ts";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { type Rewrite, startNodeProxy } from "../../support/chain/node-proxy.ts";

const ownersKey = `0x${Buffer.from(owner.getHdKey().privateKey ?? []).toString("hex")}`;

/** The registry where it has been before, or should not be: on chains with, without and against the factory. */
describe("deployRegistry, on a chain with a past", () => {
  let address: string;
  let anvil: Anvil;
  let folder: string;
  let opened: { stop(): void }[] = [];

  const start = async (flags: string[] = [], chainId = 4_242) => {
    anvil = await startAnvil({ chainId, flags });
  };
  const deploy = (options: Partial<DeployOptions> = {}) =>
    deployRegistry({ rpcUrl: anvil.url, deployerKey, ...options });
  const sentBy = async (account: string) =>
    Number(await anvil.rpc("eth_getTransactionCount", [account, "latest"]));
  const refusal = async (options: Partial<DeployOptions> = {}) => {
    const error = await deploy(options).catch((reason) => reason);
    expect(error).to.be.instanceOf(DeployError);
    return error.message;
  };
  const proxy = async (rewrites: Record<string, Rewrite>) => {
    const opening = await startNodeProxy(anvil.url, rewrites);
    opened.push(opening);
    return opening.url;
  };

  before(async () => {
    ({ address } = await compiledPin());
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "asset-registry-deployments-"));
  });
  afterEach(async () => {
    for (const { stop } of opened) stop();
    opened = [];
    await anvil.stop();
    await rm(folder, { recursive: true, force: true });
  });

  describe("when the registry stands already", () => {
    beforeEach(() => start());

    it("sends nothing, and answers the block of its creation, whoever asks and however late", async () => {
      const first = await deploy();
      await anvil.mine(100);
      const lines: string[] = [];
      const again = await deploy({ deployerKey: ownersKey, onProgress: (line) => lines.push(line) });
      expect(again).to.deep.equal(first);
      expect(await sentBy(owner.address)).to.equal(0);
      expect(lines.at(-1)).to.equal(
        `the registry ${address} stands on this chain since block ${first.blockNumber}: nothing is sent`,
      );
    });

    it("gives another registry for another salt", async () => {
      const [first, other] = [await deploy(), await deploy({ salt: `0x${"01".repeat(32)}` })];
      expect(other.registry).not.to.equal(first.registry);
      expect(other.blockNumber).to.be.above(first.blockNumber);
    });

    it("answers block 0 where the node keeps no old states, so that nothing is missed", async () => {
      await deploy();
      await anvil.mine(100);
      const head = Number(await anvil.rpc("eth_blockNumber"));
      const pruned = await proxy({
        eth_getCode: ([, tag]) =>
          tag !== "latest" && Number(tag) < head - 20
            ? { error: { code: -32_000, message: "missing trie node" } }
            : undefined,
      });
      expect(await deploy({ rpcUrl: pruned })).to.deep.include({
        blockNumber: 0,
        transactionHash: undefined,
      });
    });

    it("answers block 0 where the node says of an old state that it holds no code", async () => {
      await deploy();
      await anvil.mine(100);
      const head = Number(await anvil.rpc("eth_blockNumber"));
      const lying = await proxy({
        eth_getCode: ([, tag]) =>
          tag !== "latest" && Number(tag) < head - 20 ? { result: "0x" } : undefined,
      });
      expect(await deploy({ rpcUrl: lying })).to.include({ registry: address, blockNumber: 0 });
    });
  });

  describe("when two deploy at once", () => {
    it("answers both with the one registry", async () => {
      await start();
      await anvil.rpc("evm_setAutomine", [false]);
      const both = Promise.all([deploy(), deploy({ deployerKey: ownersKey })]);
      for (let waiting = 0; waiting < 2; ) {
        const { pending } = await anvil.rpc<{ pending: Hex }>("txpool_status");
        waiting = Number(pending);
      }
      await anvil.mine();
      const [one, other] = await both;
      expect(other).to.deep.equal(one);
      expect(one.registry).to.equal(address);
    });
  });

  describe("when something else is where the registry belongs", () => {
    it("says what", async () => {
      await start();
      await anvil.rpc("anvil_setCode", [address, "0x6001"]);
      expect(await refusal()).to.match(
        new RegExp(
          `^Another contract stands at ${address} on chain 4242: its code is 2 bytes long, and the registry's \\d+\\.$`,
        ),
      );
    });
  });

  describe("when the chain has no factory", () => {
    beforeEach(() => start(["--disable-default-create2-deployer"]));

    it("creates it by its well-known transaction, and the registry at its address", async () => {
      const { registry, blockNumber } = await deploy();
      expect(registry).to.equal(address);
      expect(await anvil.rpc("eth_getCode", [FACTORY, "latest"])).to.equal(FACTORY_CODE);
      expect(
        (await anvil.rpc<{ from: Hex }>("eth_getTransactionByHash", [FACTORY_CREATION.hash])).from,
      ).to.equal(FACTORY_CREATION.signer.toLowerCase());
      expect((await deploy()).blockNumber).to.equal(blockNumber);
    });

    it("pays nothing to a node that refuses it, and deploys to an address of this chain's own", async () => {
      const message = "only replay-protected (EIP-155) transactions allowed over RPC";
      const rpcUrl = await proxy({
        eth_sendRawTransaction: ([raw]) =>
          raw === FACTORY_CREATION.raw ? { error: { code: -32_000, message } } : undefined,
      });
      const lines: string[] = [];
      const { registry, blockNumber } = await deploy({
        rpcUrl,
        record: folder,
        onProgress: (line) => lines.push(line),
      });
      expect(registry).not.to.equal(address);
      expect(size(await anvil.rpc<Hex>("eth_getCode", [registry, "latest"]))).to.be.above(1_000);
      expect(BigInt(await anvil.rpc("eth_getBalance", [FACTORY_CREATION.signer, "latest"]))).to.equal(0n);
      expect(lines.join("\n")).to.include("the registry gets an address that other chains do not have");
      // Only the record finds it again.
      expect(await deploy({ rpcUrl, record: folder })).to.include({ registry, blockNumber });
      expect((await deploy({ rpcUrl })).registry).not.to.equal(registry);
    });

    it("waits for cheaper gas where the factory's creation could not be mined", async () => {
      const rpcUrl = await proxy({ eth_gasPrice: () => ({ result: "0x2540be40000" }) });
      expect(await refusal({ rpcUrl })).to.match(
        /^Chain 4242 has no deployment factory yet, .* try again later\.$/,
      );
    });
  });

  describe("when other code stands at the factory's address", () => {
    it("touches nothing", async () => {
      await start();
      await anvil.rpc("anvil_setCode", [FACTORY, "0x6001"]);
      expect(await refusal()).to.equal(
        `Other code than the deployment factory's stands at ${FACTORY} on chain 4242.`,
      );
    });
  });

  describe("when there is a record", () => {
    const file = () => join(folder, "4242.json");
    const recorded = async () => JSON.parse(await readFile(file(), "utf8"));

    it("writes address, block and transaction down, and answers from it what a pruned node cannot say", async () => {
      await start();
      const { chainId: _, ...first } = await deploy({ record: folder });
      expect(await recorded()).to.deep.equal([first]);
      const pruned = await proxy({
        eth_getCode: ([, tag]) =>
          tag === "latest" ? undefined : { error: { code: -32_000, message: "missing trie node" } },
      });
      expect(await deploy({ rpcUrl: pruned, record: folder })).to.include(first);
    });

    it("writes down what somebody else deployed", async () => {
      await start();
      const { chainId: _, ...first } = await deploy();
      await deploy({ record: folder, deployerKey: ownersKey });
      expect(await recorded()).to.deep.equal([first]);
    });

    it("does not believe the record of another chain with the same number", async () => {
      await start();
      await anvil.mine(50);
      await deploy({ record: folder });
      await anvil.stop();
      await start();
      const here = await deploy({ record: folder });
      expect(here.blockNumber).to.equal(1);
      expect(await recorded()).to.deep.include({
        registry: address,
        blockNumber: 1,
        transactionHash: here.transactionHash,
      });
    });

    it("keeps earlier registries behind the newest, and repairs a file that cannot be read", async () => {
      await start();
      const old = { registry: owner.address, blockNumber: 3, transactionHash: `0x${"ab".repeat(32)}` };
      await writeFile(file(), JSON.stringify([old]));
      const { chainId: _, ...first } = await deploy({ record: folder });
      expect(await recorded()).to.deep.equal([first, old]);
      await writeFile(file(), "[{");
      await deploy({ record: folder });
      expect(await recorded()).to.deep.equal([first]);
    });

    it("says where it cannot write, and deploys all the same", async () => {
      await start();
      await writeFile(join(folder, "file"), "");
      const lines: string[] = [];
      const { registry } = await deploy({
        record: join(folder, "file", "below"),
        onProgress: (line) => lines.push(line),
      });
      expect(registry).to.equal(address);
      expect(lines.at(-1)).to.match(/^the deployment could not be recorded: /);
    });

    it("keeps nothing of the local chain, which forgets", async () => {
      await start([], 31_337);
      await deploy({ record: folder });
      expect(await readdir(folder)).to.deep.equal([]);
    });
  });
});
