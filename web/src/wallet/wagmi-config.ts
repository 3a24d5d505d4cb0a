import { defineChain } from "viem";
import { type Config, createConfig, createStorage, injected, unstable_connector } from "wagmi";
import type { Chain } from "./network.ts";

let made: { id: number; config: Config } | undefined;

/** Finds the wallets of the browser and remembers which one was used. Nothing is asked of any node but a wallet's own. */
export function wagmiConfig(chain: Chain): Config {
  if (made?.id !== chain.id) made = { id: chain.id, config: configOf(chain) };
  return made.config;
}

function configOf({ id, name, nativeCurrency, rpcUrl }: Chain): Config {
  const chain = defineChain({
    id,
    name,
    nativeCurrency,
    rpcUrls: { default: { http: rpcUrl === null ? [] : [rpcUrl] } },
  });
  return createConfig({
    chains: [chain],
    connectors: [injected()],
    transports: { [id]: unstable_connector(injected) },
    storage: createStorage({ key: "asset-registry-wallet", storage: memory() }),
  });
}

/** The browser's storage where it may be used; a private window may forbid it. */
function memory() {
  try {
    localStorage.getItem("asset-registry-wallet");
    return localStorage;
  } catch {
    return undefined;
  }
}
