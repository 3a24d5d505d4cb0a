import type { Config } from "../../config.ts";
import { limits } from "../../domain/limits.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { ServedRegistry } from "../service/registry.ts";

const { name, version } = packageJson;

/** Settings of the service that the console publishes to everybody. */
export type Published = Pick<
  Config,
  | "CHAIN_NAME"
  | "CHAIN_RPC_URL"
  | "CHAIN_EXPLORER_URL"
  | "CHAIN_CURRENCY"
  | "CONFIRMATIONS"
  | "OIDC_CLIENT_ID"
> &
  Pick<Config, "OIDC_AUDIENCE"> & { OIDC_ISSUER: readonly string[] };

/** What the console has to know of its service: `GET /console/settings.json`. */
export function consoleSettings(config: Published, publicUrl: string, registry: ServedRegistry) {
  let known: Awaited<ReturnType<ServedRegistry>> | undefined;
  const { CHAIN_CURRENCY: symbol, OIDC_CLIENT_ID: clientId } = config;
  const [issuer = ""] = config.OIDC_ISSUER;

  /** @throws ApiError where it is not known yet on which chain the registry is */
  return async () => {
    // It stays on its chain, so what was known is right while database or node are down.
    known = await registry.recent().catch((error: unknown) => {
      if (known === undefined) throw error;
      return known;
    });
    const { chainId, address } = known;
    return {
      name,
      version,
      publicUrl,
      chain: {
        id: chainId,
        name: config.CHAIN_NAME ?? `Chain ${chainId}`,
        nativeCurrency: { name: symbol === "ETH" ? "Ether" : symbol, symbol, decimals: 18 },
        rpcUrl: config.CHAIN_RPC_URL ?? null,
        explorerUrl: config.CHAIN_EXPLORER_URL ?? null,
      },
      registry: address,
      confirmations: config.CONFIRMATIONS,
      identity:
        clientId === undefined
          ? null
          : { issuer, clientId, audience: config.OIDC_AUDIENCE[0] ?? "", scope: "openid profile" },
      limits: {
        text: limits.text,
        note: limits.note,
        targets: limits.targets,
        wallets: limits.wallets,
        bodyBytes: limits.bodyBytes,
      },
    };
  };
}
