import type { ReactNode } from "react";
import { WagmiProvider } from "wagmi";
import { useSettings } from "../service/settings.ts";
import { wagmiConfig } from "./wagmi-config.ts";

/** Gives pages inside it the wallets of the browser, by `useWallet`. */
export function WalletProvider({ children }: { children: ReactNode }) {
  return <WagmiProvider config={wagmiConfig(useSettings().chain)}>{children}</WagmiProvider>;
}
