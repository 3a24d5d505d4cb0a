import { expect } from "chai";
import type { Address, Hex } from "viem";
import { openPool, type Pool } from "../../../db/core/pool.ts";
import { readIndexPosition } from "../../../db/reads/index-position.ts";
import { registryCode } from "../../../domain/registry/code.ts";
import { codeMismatch } from "../../../domain/registry/deployed-code.ts";
import { FatalError } from "../../../indexer/fatal-error.ts";
import { beginIndex } from "../../../indexer/sync/begin.ts";
import { connectNode } from "../../../rpc/node.ts";
import { deployRegistry } from "../../../scripts/contracts/deploy-registry.ts";
import { expectError, startApi } from "../../support/api.ts";
import { deployerKey, other } from "../../support/chain/accounts.ts";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";

describe("beginIndex, on what stands at REGISTRY_ADDRESS", () => {
  let anvil: Anvil;
  let database: TestDatabase;
  let pool: Pool;
  let registry: Address;
  let code: Hex;
  let startBlock: number;

  before(async () => {
    anvil = await startAnvil();
    const deployed = await deployRegistry({ rpcUrl: anvil.url, deployerKey });
    ({ registry, blockNumber: startBlock } = deployed);
    code = await anvil.rpc("eth_getCode", [registry, "latest"]);
  });
  after(() => anvil.stop());
  beforeEach(async () => {
    database = await createDatabase();
    pool = openPool(database.url, { application: "test" });
  });
  afterEach(async () => {
    await anvil.rpc("anvil_setCode", [registry, code]);
    await pool.end();
    await database.drop();
  });

  const begin = (address = registry, block = startBlock) =>
    beginIndex(pool, connectNode([anvil.url]), { registry: address, startBlock: block });

  async function refusal(replaced: Hex): Promise<string> {
    await anvil.rpc("anvil_setCode", [registry, replaced]);
    const error = await begin().catch((reason) => reason);
    expect(error).to.be.instanceOf(FatalError);
    const prefix = `REGISTRY_ADDRESS ${registry} on chain 31337 holds another contract than the registry of this version: `;
    const suffix =
      ". Check the address, or run the version of the service that this registry was deployed with.";
    expect(error.message.startsWith(prefix), error.message).to.equal(true);
    expect(error.message.endsWith(suffix), error.message).to.equal(true);
    return error.message.slice(prefix.length, -suffix.length);
  }

  /** The code with a word overwritten. */
  const withWord = (offset: number, word: string): Hex =>
    `${code.slice(0, 2 + 2 * offset)}${word}${code.slice(2 + 2 * offset + word.length)}` as Hex;

  it("begins where it is the registry of this version", async () => {
    await begin();
    expect(await readIndexPosition(pool)).to.include({ registry, chainId: 31_337 });
  });

  it("begins where the chain has another number than when it was created, as a fork has", async () => {
    const fork = await startAnvil({ chainId: 777, flags: ["--fork-url", anvil.url] });
    try {
      await beginIndex(pool, connectNode([fork.url]), { registry, startBlock });
    } finally {
      await fork.stop();
    }
  });

  it("refuses an address without a contract", async () => {
    const error = await begin(other.address).catch((reason) => reason);
    expect(error).to.be.instanceOf(FatalError);
    expect(error.message).to.include("holds no contract on chain 31337");
  });

  it("refuses another contract, whatever its size", async () => {
    expect(await refusal("0x6001600155")).to.equal(
      `its code is 5 bytes long, and the registry's ${registryCode.size}`,
    );
  });

  it("refuses a proxy to the registry, which could be another contract tomorrow", async () => {
    const minimal = `0x363d3d373d3d3d363d73${other.address.slice(2)}5af43d82803e903d91602b57fd5bf3` as const;
    expect(await refusal(minimal)).to.include("its code is 45 bytes long");
    expect(await refusal(`0xef0100${other.address.slice(2)}`)).to.include("its code is 23 bytes long");
  });

  it("refuses another version that differs in one byte", async () => {
    const flipped = code.slice(2, 4) === "60" ? "61" : "60";
    expect(await refusal(withWord(0, flipped))).to.equal(
      "its code is as long as the registry's, but differs",
    );
  });

  it("refuses the registry's own code where its constructor was another", async () => {
    for (const [name, [offset]] of Object.entries(registryCode.immutables)) {
      // The domain separator is the word that shows another chain, too.
      const named = name === "_cachedChainId" ? "_cachedDomainSeparator" : name;
      expect(await refusal(withWord(offset, "ab".repeat(32))), name).to.equal(
        `its code is the registry's, but its constructor wrote another ${named.slice(1)}`,
      );
    }
  });

  it("refuses the registry's code at an address where it was not created", () => {
    expect(codeMismatch(code, registry)).to.equal(undefined);
    expect(codeMismatch(code, other.address)).to.include("its constructor wrote another");
  });

  it("refuses what an index has begun with, too", async () => {
    await begin();
    expect(await refusal("0x6001")).to.include("2 bytes");
  });

  it("has nobody sign for such a contract before there is an index: the API is not ready", async () => {
    const api = await startApi({
      database,
      rpcUrl: anvil.url,
      registry: { chainId: 31_337, address: registry },
      indexed: false,
    });
    try {
      const create = () => api.post("/assets/", { name: "Lease", author: other.address });
      await anvil.rpc("anvil_setCode", [registry, "0x6001"]);
      expect(expectError(await create(), 503, "NOT_READY").message).to.match(
        /^The address 0x\w{40} on chain 31337 does not hold the registry of this version: its code is 2 bytes long/,
      );
      await anvil.rpc("anvil_setCode", [registry, code]);
      expect((await create()).status).to.equal(202);
    } finally {
      await api.stop();
    }
  });
});
