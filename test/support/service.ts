import type { Hex, LocalAccount } from "viem";
import { developerLogin } from "../../scripts/local/developer-login.ts";
import { startIdentityProvider } from "../../scripts/local/identity-provider.ts";
import { type Answer, startApi } from "./api.ts";
import { owner } from "./chain/accounts.ts";
import { type Rig, type RigOptions, startRig } from "./rigs/rig.ts";
import { signAs } from "./sign.ts";

export type Service = Awaited<ReturnType<typeof startService>>;

type ServiceOptions = RigOptions & {
  /** Settings of the API, which may depend on the chain. */
  environment?: Record<string, string> | ((rig: Rig) => Record<string, string>);
  /** Makes PUBLIC_URL the URL at which the API listens. */
  atOwnUrl?: boolean;
};

/** The whole service on one database: chain, indexer, API on a port, and an identity provider. */
export async function startService(options: ServiceOptions = {}) {
  const rig = await startRig(options);
  const provider = await startIdentityProvider({ port: 0, audience: "asset-registry" });
  const environment =
    typeof options.environment === "function" ? options.environment(rig) : options.environment;
  const api = await startApi({
    database: rig.database,
    rpcUrl: rig.anvil.url,
    registry: rig.registry,
    issuer: provider.issuer,
    indexed: false,
    atOwnUrl: options.atOwnUrl ?? false,
    ...(environment === undefined ? {} : { environment }),
  });
  await rig.startIndexer();

  /** Signs a generated transaction as its author, by what the API says. */
  async function sign(transactionId: string, account: LocalAccount = owner): Promise<Hex> {
    const { value } = await api.get(`/transactions/${transactionId}`);
    // Tests leave earlier requests unsigned, and sign nothing that would fail.
    return await signAs(account, value, { nonce: value.nextNonce, gas: BigInt(value.gas) });
  }

  /** Signs a generated transaction, and hands it in. */
  async function approve(transactionId: string, account: LocalAccount = owner): Promise<Answer> {
    const signedTransaction = await sign(transactionId, account);
    return api.post(`/transactions/${transactionId}/submit`, { signedTransaction });
  }

  /** Approves a generated transaction and mines it. @returns its hash */
  async function carryOut(transactionId: string, account: LocalAccount = owner): Promise<string> {
    const { value } = await approve(transactionId, account);
    await rig.reach(transactionId, "Submitted");
    await rig.mine();
    await rig.reach(transactionId, "Committed");
    return value.transactionHash;
  }

  /** An asset on the chain, made through the API. */
  async function createAsset(fields: object = {}, account: LocalAccount = owner) {
    const { value } = await api.post("/assets/", { name: "Lease", author: account.address, ...fields });
    await carryOut(value.transactionId, account);
    return value as { id: string; transactionId: string };
  }

  return {
    ...api,
    rig,
    issuer: provider.issuer,
    sign,
    approve,
    carryOut,
    createAsset,
    token: (user: string) => developerLogin(provider.issuer, "asset-registry", user),
    // Each is ended, though a check at the end of another fails.
    stop: () =>
      api
        .stop()
        .finally(() => provider.stop())
        .finally(() => rig.stop()),
  };
}
