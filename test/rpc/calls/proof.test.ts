import { expect } from "chai";
import { encodeRlp } from "ethers";
import { type Address, type Hash, type Hex, keccak256 } from "viem";
import { headerInRlp } from "../../../rpc/calls/header-rlp.ts";
import { interactive } from "../../../rpc/client/policy.ts";
import { NoProofError } from "../../../rpc/errors/no-proof.ts";
import { connectNode } from "../../../rpc/node.ts";
import { owner } from "../../support/chain/accounts.ts";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { type Liar, startLiar } from "../../support/chain/liar.ts";

type RlpList = (Hex | RlpList)[];
type Block = { hash: Hash; number: `0x${string}` } & Record<string, unknown>;

describe("a block's header in RLP", () => {
  for (const [hardfork, fields] of [
    ["cancun", 20],
    ["prague", 21],
    ["osaka", 21],
  ] as const) {
    it(`hashes to the block's hash as ${hardfork} has it, with a transaction and without one`, async () => {
      const anvil = await startAnvil({ flags: ["--hardfork", hardfork] });
      try {
        const [from, to] = await anvil.rpc<Address[]>("eth_accounts");
        await anvil.receipt(await anvil.rpc<Hash>("eth_sendTransaction", [{ from, to, value: "0x1" }]));
        await anvil.mine();
        for (const number of ["0x0", "0x1", "0x2"]) {
          const block = await anvil.rpc<Block>("eth_getBlockByNumber", [number, false]);
          const header = headerInRlp(block, block.hash);
          expect(header && keccak256(header), number).to.equal(block.hash);
          const later = ["baseFeePerGas", "withdrawalsRoot", "blobGasUsed", "excessBlobGas"];
          const known = [...later, "parentBeaconBlockRoot", "requestsHash"].filter(
            (name) => block[name] != null,
          );
          expect(15 + known.length).to.equal(fields);
        }
      } finally {
        await anvil.stop();
      }
    });
  }

  it("hashes to the hash of Ethereum's first block, which has no later field", () => {
    const [hash, empty] = [
      "0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6",
      "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
    ] as const;
    const block = {
      parentHash: "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3",
      sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
      miner: "0x05a56e2d52c817161883f50c441c3228cfe54d9f",
      stateRoot: "0xd67e4d450343046425ae4271474353857ab860dbc0a1dde64b41b5cd3a532bf3",
      ...{ transactionsRoot: empty, receiptsRoot: empty, logsBloom: `0x${"00".repeat(256)}` },
      ...{ difficulty: "0x3ff800000", number: "0x1", gasLimit: "0x1388", gasUsed: "0x0" },
      timestamp: "0x55ba4224",
      extraData: "0x476574682f76312e302e302f6c696e75782f676f312e342e32",
      mixHash: "0x969b900de27b6ac6a67742365dd65f55a0526c41fd18e1b16f1a1215c2e66f59",
      nonce: "0x539bd4979fef1ec4",
    };
    const header = headerInRlp({ ...block, hash, totalDifficulty: "0x7ff800000", uncles: [] }, hash);
    expect(header && keccak256(header)).to.equal(hash);
  });

  describe("of Besu's private networks, whose validators seal its hash", () => {
    const word = (digit: string): Hex => `0x${digit.repeat(64)}`;
    const vanity = word("0");
    const validators = [owner.address, `0x${"22".repeat(20)}`] as Hex[];
    const seals: Hex[] = [`0x${"11".repeat(65)}`, `0x${"33".repeat(65)}`];
    const fields = {
      ...{ parentHash: word("1"), sha3Uncles: word("2"), miner: owner.address, stateRoot: word("3") },
      ...{ transactionsRoot: word("4"), receiptsRoot: word("5"), logsBloom: `0x${"00".repeat(256)}` as Hex },
      ...({
        difficulty: "0x01",
        number: "0x07",
        gasLimit: "0x1388",
        gasUsed: "0x",
        timestamp: "0x2a",
      } as const),
    };
    const behind = { mixHash: word("6"), nonce: "0x0000000000000000" } as const;

    for (const [what, told, hashed] of [
      ["QBFT", [vanity, validators, [], "0x2a", seals], [vanity, validators, [], "0x", []]],
      [
        "QBFT with a vote",
        [vanity, validators, [owner.address, "0xff"], "0x", seals],
        [vanity, validators, [owner.address, "0xff"], "0x", []],
      ],
      ["IBFT 2.0", [vanity, validators, "0x", "0x0000002a", seals], [vanity, validators, "0x"]],
    ] as [string, RlpList, RlpList][]) {
      it(`hashes to the block's hash without the round and the seals: ${what}`, () => {
        const header = encodeRlp([
          ...Object.values(fields),
          encodeRlp(hashed),
          ...Object.values(behind),
        ]) as Hex;
        const block = { ...fields, gasUsed: "0x0", extraData: encodeRlp(told), ...behind };
        expect(headerInRlp(block, keccak256(header))).to.equal(header);
        const other = { ...block, extraData: encodeRlp([word("7"), ...told.slice(1)]) };
        expect(headerInRlp(other, keccak256(header))).to.equal(undefined);
      });
    }
  });

  describe("of a node's answer", () => {
    let anvil: Anvil;
    let block: Block;
    before(async () => {
      anvil = await startAnvil();
      await anvil.mine();
      block = await anvil.rpc<Block>("eth_getBlockByNumber", ["0x1", false]);
    });
    after(() => anvil.stop());

    it("takes numbers in all forms that nodes have, and null for a field that is not there", () => {
      const header = headerInRlp(block, block.hash);
      for (const fields of [
        { number: "0x0001" },
        { number: 1 },
        { number: "0X1" },
        { stateRoot: String(block["stateRoot"]).toUpperCase().replace("0X", "0x") },
        { blockAccessListHash: null, slotNumber: null, surprise: 5 },
      ]) {
        expect(headerInRlp({ ...block, ...fields }, block.hash), JSON.stringify(fields)).to.equal(header);
      }
    });

    it("is none where a field differs, is missing or is of another form", () => {
      for (const fields of [
        { gasUsed: "0x2" },
        { gasUsed: undefined },
        { gasUsed: "0x" },
        { gasUsed: "-1" },
        { extraData: "0x1" },
        { nonce: "0x00" },
        { slotNumber: "0x1", blockAccessListHash: `0x${"00".repeat(32)}` },
        { miner: block.hash },
      ]) {
        expect(headerInRlp({ ...block, ...fields }, block.hash), JSON.stringify(fields)).to.equal(undefined);
      }
      for (const answer of [null, [], "0x", 5, {}])
        expect(headerInRlp(answer, block.hash)).to.equal(undefined);
    });
  });
});

describe("a proof of state", () => {
  let anvil: Anvil;
  let block: { number: number; hash: Hash };
  let [first, second]: Liar[] = [];
  before(async () => {
    anvil = await startAnvil();
    await anvil.mine();
    const { hash } = await anvil.rpc<Block>("eth_getBlockByNumber", ["0x1", false]);
    block = { number: 1, hash };
    [first, second] = [await startLiar(anvil.url), await startLiar(anvil.url)];
  });
  after(async () => {
    for (const liar of [first, second]) await liar?.stop();
    await anvil.stop();
  });
  afterEach(() => {
    for (const liar of [first, second]) liar?.honest();
  });

  const connect = (...liars: (Liar | undefined)[]) =>
    connectNode(
      liars.map((liar) => liar?.url ?? ""),
      { policy: interactive },
    );
  const question = () => ({ account: owner.address.toLowerCase() as Address, slots: [], block });
  const rejected = async (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => expect.fail("it was proven"),
      (error: unknown) => error,
    );

  it("has the header and the nodes of the account", async () => {
    const node = connect(first);
    const { header, account, slots } = await node.stateProof(question(), () => undefined);
    expect(keccak256(header)).to.equal(block.hash);
    expect(account).not.to.be.empty;
    expect(slots).to.deep.equal([]);
    node.close();
  });

  it("that fails counts against no node, and leaves the current one in use", async () => {
    first?.on("eth_getProof", () => ({ error: { code: -32_000, message: "missing trie node" } }));
    const node = connect(first, second);
    await node.balance(owner.address);
    await node.stateProof(question(), () => undefined);
    const [one, other] = node.health();
    expect(one).to.include({ inUse: true, up: true, failed: 0 });
    expect(other).to.include({ inUse: false, failed: 0 });
    node.close();
  });

  it("that no check takes is refused by each node in turn, and says why", async () => {
    const node = connect(first, second);
    const error = await rejected(node.stateProof(question(), () => "it is too short"));
    expect(error).to.be.instanceOf(NoProofError);
    expect((error as NoProofError).causes).to.deep.equal(["proof"]);
    expect((error as NoProofError).message.match(/it is too short/g)).to.have.length(2);
    node.close();
  });

  it("of a block that the node has under another hash is none", async () => {
    const node = connect(first);
    const other = { ...question(), block: { number: 1, hash: keccak256("0x01") } };
    expect(((await rejected(node.stateProof(other, () => undefined))) as NoProofError).causes).to.deep.equal([
      "header",
    ]);
    node.close();
  });

  it("is asked for again where a rate limit refused it", async () => {
    first?.on("eth_getProof", () => ({ error: { code: -32_005, message: "rate limit exceeded" } }));
    const node = connect(first);
    expect(await rejected(node.stateProof(question(), () => undefined))).to.include({
      reason: "rate_limited",
    });
    first?.honest();
    await node.stateProof(question(), () => undefined);
    node.close();
  });
});
