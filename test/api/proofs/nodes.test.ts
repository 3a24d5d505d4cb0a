import { expect } from "chai";
import type { Hex } from "viem";
import { verifyDocument } from "../../../proof/src/proof.ts";
import { headerInRlp } from "../../../rpc/calls/header-rlp.ts";
import { type Answer, expectError, nowhere, startApi, type TestApi } from "../../support/api.ts";
import { type Liar, type Rule, startLiar } from "../../support/chain/liar.ts";
import { type Service, startService } from "../../support/service.ts";

type NodeProof = { accountProof: Hex[]; storageProof: { key: Hex; value: Hex; proof: Hex[] }[] };

/** How nodes and providers word that they do not prove a block: whatever they say, the next one is asked. */
const rejections: [string, { code: number; message: string; data?: unknown }][] = [
  [
    "geth without the state",
    { code: -32_000, message: "missing trie node adefdb4c (path ) state 0x7a is not available" },
  ],
  ["geth of path-based tries", { code: -32_000, message: "historical state 02203acd is not available" }],
  ["reth", { code: -32_602, message: "distance to target block exceeds maximum proof window" }],
  [
    "Erigon",
    {
      code: -32_000,
      message:
        "requested block is too old, block must be within 100000 blocks of the head block number (currently 13752981)",
    },
  ],
  ["Nethermind", { code: -32_002, message: "No state available for block 0x1b4" }],
  ["Besu", { code: -32_000, message: "World state unavailable" }],
  [
    "OpenEthereum",
    {
      code: -32_000,
      message: "This request is not supported because your node is running with state pruning",
    },
  ],
  ["anybody", { code: -32_603, message: "internal error" }],
];

/** How they word that they have no eth_getProof at all. */
const noMethod: [string, { code: number; message: string; data?: unknown }][] = [
  ["geth", { code: -32_601, message: "the method eth_getProof does not exist/is not available" }],
  ["Hardhat of old", { code: -32_004, message: "Method eth_getProof is not supported" }],
  [
    "Alchemy",
    {
      code: -32_600,
      message: "Unsupported method: eth_getProof. See available methods at https://docs.example",
    },
  ],
  ["a gateway", { code: -32_601, message: "Method not found" }],
  ["a plan", { code: -32_000, message: "Method is not available on your plan", data: { reason: "upgrade" } }],
  ["a proxy", { code: 403, message: "method eth_getProof is not whitelisted" }],
  ["Erigon of old", { code: -32_000, message: "NotImplemented: eth_getProof, not implemented" }],
];

describe("a proof by nodes that cannot, or lie", () => {
  let service: Service;
  let id: string;
  let [first, second]: Liar[] = [];
  before(async () => {
    service = await startService();
    ({ id } = await service.createAsset({ data: "Flat 3" }));
    await service.rig.mine(4);
    await service.rig.caughtUp();
    [first, second] = [await startLiar(service.rig.anvil.url), await startLiar(service.rig.anvil.url)];
  });
  after(async () => {
    for (const liar of [first, second]) await liar?.stop();
    await service.stop();
  });
  afterEach(() => {
    for (const liar of [first, second]) {
      liar?.honest();
      liar?.calls.splice(0);
    }
  });

  /** An API on the same database, behind these nodes. */
  async function behind(rpcUrl: string, ask: (api: TestApi) => Promise<void>): Promise<void> {
    const { database, registry } = service.rig;
    const api = await startApi({ database, registry, rpcUrl, indexed: false });
    try {
      await ask(api);
    } finally {
      await api.stop();
    }
  }
  const one = () => first?.url ?? "";
  const both = () => `${first?.url},${second?.url}`;
  const path = () => `/assets/${id}/proof`;
  const rejecting =
    (error: { code: number; message: string; data?: unknown }): Rule =>
    () => ({ error });

  async function expectValid({ status, value, error }: Answer): Promise<void> {
    expect(status, error?.message).to.equal(200);
    const { hash } = await service.rig.chain.getBlock({ blockNumber: BigInt(value.block.number) });
    const { verdict, words } = verifyDocument(JSON.stringify(value), {
      block: { hash, source: "the chain" },
    });
    expect(verdict, words).to.equal("valid");
  }

  for (const [who, error] of rejections) {
    it(`is refused with a code of its own where ${who} rejects it: ${error.message.slice(0, 40)}`, async () => {
      first?.on("eth_getProof", rejecting(error));
      await behind(one(), async (api) => {
        const { message } = expectError(await api.get(path()), 501, "PROOF_UNAVAILABLE");
        expect(message).to.contain("does not prove the state of that block").and.contain("RPC_URL");
        expect(message).not.to.contain(error.message);
        expect(api.lines.join()).to.contain(error.message);
        // It is asked again: the state of a later block may be there.
        first?.honest();
        await expectValid(await api.get(path()));
      });
    });
  }

  for (const [who, error] of noMethod) {
    it(`is refused with a code of its own where ${who} has no eth_getProof, which is remembered`, async () => {
      first?.on("eth_getProof", rejecting(error));
      await behind(one(), async (api) => {
        const refused = async () => {
          const { message } = expectError(await api.get(path()), 501, "PROOF_UNAVAILABLE");
          expect(message).to.contain("has no eth_getProof");
        };
        await refused();
        first?.calls.splice(0);
        await refused();
        expect(first?.calls).to.be.empty;
      });
    });
  }

  for (const [what, rule] of [
    ["rejects it", rejecting({ code: -32_000, message: "missing trie node" })],
    ["has no eth_getProof", rejecting({ code: -32_601, message: "Method not found" })],
    ["answers by a page of HTML", () => ({ http: { status: 403, body: "<html>Forbidden</html>" } })],
    ["ends the connection", () => "drop"],
    ["answers null", () => ({ result: null })],
  ] as [string, Rule][]) {
    it(`is made by the second node where the first ${what}, which stays in use for all else`, async () => {
      first?.on("eth_getProof", rule);
      await behind(both(), async (api) => {
        await expectValid(await api.get(path()));
        await expectValid(await api.get(path()));
        const { value } = await api.post("/assets/", { name: "Next", author: service.rig.registry.address });
        for (const liar of [first, second]) liar?.calls.splice(0);
        expect((await api.get(`/transactions/${value.transactionId}`)).status).to.equal(200);
        expect(first?.calls).not.to.be.empty;
        expect(second?.calls).to.be.empty;
      });
    });
  }

  it("is refused by both causes where each node has another", async () => {
    first?.on("eth_getProof", rejecting({ code: -32_601, message: "Method not found" }));
    second?.on("eth_getProof", rejecting({ code: -32_000, message: "missing trie node" }));
    await behind(both(), async (api) => {
      const { message } = expectError(await api.get(path()), 501, "PROOF_UNAVAILABLE");
      expect(message).to.contain("one has no eth_getProof, and one does not prove");
    });
  });

  it("is unavailable for now where one node cannot and the other is down", async () => {
    first?.on("eth_getProof", rejecting({ code: -32_601, message: "Method not found" }));
    await behind(`${first?.url},${nowhere}`, async (api) => {
      expectError(await api.get(path()), 503, "NODE_UNAVAILABLE");
    });
  });

  it("is unavailable for now where the node does not have the block yet", async () => {
    first?.on("eth_getBlockByNumber", () => ({ result: null }));
    await behind(one(), async (api) => {
      expectError(await api.get(path()), 503, "NODE_UNAVAILABLE");
    });
  });

  /** A rule by which the node's own proof is changed. */
  const changed =
    (change: (proof: NodeProof) => unknown): Rule =>
    async ({ forward }) => ({ result: change((await forward()) as NodeProof) });
  const flipped = (hex: Hex | undefined): Hex =>
    `${hex?.slice(0, -2)}${hex?.endsWith("00") ? "01" : "00"}` as Hex;

  const lies: [string, Rule][] = [
    ["with a bit changed", changed((proof) => ({ ...proof, accountProof: proof.accountProof.map(flipped) }))],
    ["without a node", changed((proof) => ({ ...proof, accountProof: proof.accountProof.slice(1) }))],
    [
      "with its nodes turned round",
      changed((proof) => ({ ...proof, accountProof: proof.accountProof.toReversed() })),
    ],
    [
      "with a node too many",
      changed((proof) => ({ ...proof, accountProof: [...proof.accountProof, ...proof.accountProof] })),
    ],
    ["of no slot", changed((proof) => ({ ...proof, storageProof: [] }))],
    [
      "of other slots",
      changed((proof) => ({
        ...proof,
        storageProof: proof.storageProof.map((slot) => ({ ...slot, proof: proof.accountProof })),
      })),
    ],
    [
      "of empty slots",
      changed((proof) => ({ ...proof, storageProof: proof.storageProof.map(() => ({ proof: [] })) })),
    ],
    [
      "of a hundred thousand nodes",
      changed((proof) => ({ ...proof, accountProof: Array.from({ length: 100_000 }, () => "0x80") })),
    ],
    [
      "of a node as large as a book",
      changed((proof) => ({ ...proof, accountProof: [`0x${"00".repeat(1_000_000)}`] })),
    ],
    [
      "that is larger than an answer may be",
      changed(() => ({ accountProof: [`0x${"00".repeat(6_000_000)}`] })),
    ],
    ["that is a text", changed(() => "0x")],
    ["of nodes that are no hex", changed((proof) => ({ ...proof, accountProof: ["0xzz", 5, null] }))],
    ["of an address alone", changed(() => ({ address: service.rig.registry.address }))],
  ];
  for (const [what, rule] of lies) {
    it(`is not handed out ${what}: the next node is asked, and else it is refused`, async () => {
      first?.on("eth_getProof", rule);
      await behind(both(), async (api) => expectValid(await api.get(path())));
      await behind(one(), async (api) => {
        const { message } = expectError(await api.get(path()), 501, "PROOF_UNAVAILABLE");
        expect(message).to.match(/does not hold|does not prove/);
      });
    });
  }

  it("of another block is not handed out, as it comes from a node that has the newest state alone", async () => {
    await service.createAsset();
    first?.on("eth_getProof", async ({ params: [account, slots] }) => ({
      result: await service.rig.anvil.rpc("eth_getProof", [account, slots, "latest"]),
    }));
    await behind(both(), async (api) => expectValid(await api.get(path())));
    await behind(one(), async (api) => {
      expectError(await api.get(path()), 501, "PROOF_UNAVAILABLE");
    });
  });

  const headers: [string, (block: Record<string, unknown>) => unknown][] = [
    ["another state root", (block) => ({ ...block, stateRoot: `0x${"11".repeat(32)}` })],
    ["fields that are missing", ({ stateRoot, hash }) => ({ stateRoot, hash })],
    ["a field that is none", (block) => ({ ...block, gasUsed: "much" })],
    ["extra data without an end", (block) => ({ ...block, extraData: `0x${"00".repeat(100_000)}` })],
    ["a field in the middle that is missing", ({ withdrawalsRoot, ...block }) => block],
    ["nothing of a block", () => []],
  ];
  for (const [what, change] of headers) {
    it(`is not handed out where the node tells a header with ${what}`, async () => {
      first?.on("eth_getBlockByNumber", async ({ forward }) => ({
        result: change((await forward()) as Record<string, unknown>),
      }));
      await behind(both(), async (api) => expectValid(await api.get(path())));
      await behind(one(), async (api) => {
        const { message } = expectError(await api.get(path()), 501, "PROOF_UNAVAILABLE");
        expect(message).to.contain("tells no header that hashes to that block");
      });
    });
  }

  describe("of a chain whose headers have fields that its blocks do not tell", () => {
    /** The node tells less than the header has, and by `debug_getRawHeader` what is given, or the whole of it. */
    const own = (raw?: Rule) => {
      first?.on("eth_getBlockByNumber", async ({ forward }) => {
        const { withdrawalsRoot: _unknown, ...block } = (await forward()) as Record<string, unknown>;
        return { result: block };
      });
      first?.on(
        "debug_getRawHeader",
        raw ??
          (async ({ params: [number] }) => {
            const block = await service.rig.anvil.rpc<{ hash: Hex }>("eth_getBlockByNumber", [number, false]);
            return { result: headerInRlp(block, block.hash)?.toUpperCase().replace("0X", "0x") };
          }),
      );
    };

    it("is made with the header that the node has in RLP", async () => {
      own();
      await behind(one(), async (api) => {
        await expectValid(await api.get(path()));
        expect(first?.callsOf("debug_getRawHeader")).to.have.length(1);
      });
    });

    for (const [what, raw] of [
      ["another header", () => ({ result: `0x${"c0".repeat(600)}` })],
      ["megabytes", () => ({ result: `0x${"00".repeat(3_000_000)}` })],
      ["half a byte", () => ({ result: "0xc" })],
      ["nothing", () => ({ result: null })],
      ["an error", rejecting({ code: -32_000, message: "header not found" })],
    ] as [string, Rule][]) {
      it(`is refused where it answers ${what}, and made by the next node`, async () => {
        own(raw);
        await behind(both(), async (api) => expectValid(await api.get(path())));
        await behind(one(), async (api) => {
          const { message } = expectError(await api.get(path()), 501, "PROOF_UNAVAILABLE");
          expect(message).to.contain("the chain's headers have fields that it does not tell");
        });
      });
    }

    it("is refused where the node has no such method, which is remembered", async () => {
      own(rejecting({ code: -32_601, message: "the method debug_getRawHeader does not exist" }));
      await behind(one(), async (api) => {
        for (const _time of [1, 2]) expectError(await api.get(path()), 501, "PROOF_UNAVAILABLE");
        expect(first?.callsOf("debug_getRawHeader")).to.have.length(1);
      });
    });

    it("is unavailable for now where the method is too much for the node just now", async () => {
      own(rejecting({ code: -32_005, message: "rate limit exceeded" }));
      await behind(one(), async (api) => {
        expectError(await api.get(path()), 503, "NODE_UNAVAILABLE");
      });
    });
  });

  it("asks a node once for all slots", async () => {
    const links = Array.from({ length: 50 }, (_, index) => `0x${String(index).padStart(64, "0")}`);
    await behind(one(), async (api) => {
      await expectValid(await api.get(`${path()}?links=${links}`));
      const [asked, ...others] = first?.callsOf("eth_getProof") ?? [];
      expect(others).to.be.empty;
      expect(asked?.params[1]).to.have.length(51);
    });
  });
});
