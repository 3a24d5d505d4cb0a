import type { Hex, LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type Answer, type Call, startApi, type TestApi } from "../api.ts";
import type { Anvil } from "../chain/anvil.ts";
import { type RegistryChain, takeRegistryChain } from "../chain/registry-chain.ts";
import { chainFacts } from "../database/chain-facts.ts";
import type { ToSign } from "../sign.ts";

/** An account with this much of the chain's currency. */
const FUNDS = "0x56bc75e2d63100000";

/**
 * Declares the hooks that give the suite a chain with the registry, the API on it, and before each test a new
 * author with one request that waits for a signature. No indexer runs: what it would read is written by `facts`.
 */
export function useSigning({ nodeUrl = (url: string) => Promise.resolve(url) } = {}) {
  let chain: RegistryChain;
  let anvil: Anvil;
  let api: TestApi;
  let facts: ReturnType<typeof chainFacts>;
  let author: LocalAccount;
  let id: string;
  let assetId: Hex;

  before(async () => {
    chain = await takeRegistryChain();
    anvil = chain.anvil;
    const registry = { chainId: chain.deployment.chainId, address: chain.deployment.registry };
    api = await startApi({ rpcUrl: await nodeUrl(anvil.url), registry });
    facts = chainFacts(api.pool, registry);
  });
  after(async () => {
    await api.stop().finally(() => chain.release());
  });
  beforeEach(async () => {
    author = await newAuthor();
    ({ transactionId: id, id: assetId } = await requestAsset());
  });

  async function newAuthor(balance: Hex = FUNDS): Promise<LocalAccount> {
    const account = privateKeyToAccount(generatePrivateKey());
    await anvil.rpc("anvil_setBalance", [account.address, balance]);
    return account;
  }

  async function requestAsset(
    of = author.address,
    options?: Call,
  ): Promise<{ transactionId: string; id: Hex }> {
    return (await api.post("/assets/", { name: "Lease", author: of }, options)).value;
  }

  const read = (transactionId = id, options: Call = {}): Promise<Answer> =>
    api.get(`/transactions/${transactionId}`, { key: null, ...options });
  const toSign = async (transactionId = id): Promise<ToSign> => (await read(transactionId)).value;
  const submit = (body: object, transactionId = id): Promise<Answer> =>
    api.post(`/transactions/${transactionId}/submit`, body, { key: null });

  return {
    get anvil() {
      return anvil;
    },
    get api() {
      return api;
    },
    get facts() {
      return facts;
    },
    get author() {
      return author;
    },
    get id() {
      return id;
    },
    get assetId() {
      return assetId;
    },
    newAuthor,
    requestAsset,
    read,
    toSign,
    submit,
    submitRaw: (signedTransaction: unknown, transactionId = id) =>
      submit({ signedTransaction }, transactionId),
    refuse: (signature: unknown, transactionId = id) =>
      api.post(`/transactions/${transactionId}/revoke`, { signature }, { key: null }),
    signRefusal: async (account = author): Promise<Hex> =>
      account.signTypedData((await read()).value.refusal),
    send: (raw: Hex) => anvil.rpc<Hex>("eth_sendRawTransaction", [raw]),
    /** How many submissions, reported hashes and refusals are stored. */
    async stored(): Promise<number> {
      const { rows } = await api.pool.query(
        `select (select count(*) from service.transactions) + (select count(*) from service.reported_hashes)
           + (select count(*) from service.requests where refused_at is not null) as n`,
      );
      return rows[0].n;
    },
  };
}
