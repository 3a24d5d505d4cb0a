import { mnemonicToAccount } from "viem/accounts";
import { startApi, type TestApi } from "../support/api.ts";
import { signAs } from "../support/sign.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

const phrase = "test test test test test test test test test test test junk";
/** Other accounts than those of the world: their nonces are counted by the service. */
const accounts = [6, 7].map((addressIndex) => mnemonicToAccount(phrase, { addressIndex }));

/** People who use the service: each asks for an asset, signs, and asks for the next when that one is final. */
export async function createCustomers(api: TestApi, random: Random) {
  const customers = accounts.map((account) => ({
    account,
    sent: 0,
    waitsFor: undefined as string | undefined,
  }));
  const asked: string[] = [];

  async function stateOf(asset: string): Promise<string> {
    const { value } = await api.get(`/assets/${asset}/status`);
    return value?.state;
  }

  return {
    /** Assets asked for so far. */
    get asked(): readonly string[] {
      return asked;
    },
    stateOf,
    /** One of them looks at what became of the last request, or makes the next. */
    async act(): Promise<void> {
      const customer = random.pick(customers);
      const { account, waitsFor } = customer;
      if (waitsFor !== undefined) {
        if ((await stateOf(waitsFor)) === "Confirmed") customer.waitsFor = undefined;
        return;
      }
      const created = await api.post("/assets/", { name: `Deed ${asked.length}`, author: account.address });
      if (created.status !== 202) return;
      const { id, transactionId } = created.value;
      const { value: toSign } = await api.get(`/transactions/${transactionId}`, { key: null });
      const signedTransaction = await signAs(account, {
        ...toSign,
        // Wallets count for themselves: what the node says may be of a chain that a reorg has just cut short.
        nonce: customer.sent,
        gas: toSign.gas ?? "0x7a120",
        maxFeePerGas: "0x746a528800",
      });
      const sent = await api.post(`/transactions/${transactionId}/submit`, { signedTransaction });
      // A reorg has just cut away what the nonce counts on: they ask for another asset later.
      if (sent.error?.code === "NONCE_GAP") return;
      if (sent.status !== 202) throw new Error(`The service took no transaction: ${sent.error?.message}`);
      customer.waitsFor = id;
      customer.sent += 1;
      asked.push(id);
    },
  };
}

/** Reads what the API says of some assets; the answers themselves are checked on the way. */
export async function readSome(api: TestApi, world: World, random: Random): Promise<string[]> {
  const problems: string[] = [];
  const ready = await api.get("/ready", { key: null });
  if (ready.status !== 200 && ready.error?.code !== "NOT_READY") problems.push(`GET /ready: ${ready.status}`);
  const assets = world.events.flatMap(({ asset }) => asset ?? []);
  for (let looks = 0; looks < Math.min(3, assets.length); looks += 1) {
    const { id, author } = random.pick(assets);
    const asset = await api.get(`/assets/${id}`);
    // It may be too new for the index, or a reorg has just removed it there.
    if (asset.status !== 200 && asset.status !== 404) problems.push(`GET /assets/${id}: ${asset.status}`);
    if (asset.status !== 200) continue;
    const { value } = asset;
    if (value.id !== id || value.author !== author) problems.push(`GET /assets/${id} answers another asset`);
    if (value.blockchainHash !== `0x${value.documentDbHash}`) problems.push(`asset ${id}: its hashes differ`);
    const { value: links } = await api.get(`/assets/${id}/links`);
    for (const list of [value.assetLinkIds, links?.to ?? [], links?.from ?? []]) {
      if (new Set(list).size !== list.length) problems.push(`asset ${id}: a link stands twice`);
    }
  }
  return problems;
}

/** Every answer about every asset of two indexes of one chain, but when it was last changed and by which request. */
export async function differingAnswers(one: TestApi, other: TestApi, world: World): Promise<string[]> {
  const ids = new Set(world.events.flatMap(({ asset }) => asset?.id ?? []));
  const problems: string[] = [];
  for (const id of ids) {
    for (const path of [`/assets/${id}`, `/assets/${id}/links`]) {
      const [a, b] = await Promise.all([one, other].map((api) => api.get(path)));
      const said = [a, b].map((answer) =>
        JSON.stringify({ ...answer?.value, updatedOn: "", transactionId: "", signUrl: undefined }),
      );
      if (said[0] !== said[1]) problems.push(`GET ${path}: ${said[0]} and, built anew, ${said[1]}`);
    }
  }
  return problems;
}

export const apiOf = (database: { url: string; drop: () => Promise<void> }, world: World): Promise<TestApi> =>
  startApi({ database, rpcUrl: world.anvil.url, registry: world.registry, indexed: false });
