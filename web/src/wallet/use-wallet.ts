import { useEffect, useMemo, useState } from "react";
import { type Connector, useConfig, useConnection, useConnectors } from "wagmi";
import { connect, disconnect } from "wagmi/actions";
import { texts } from "../texts/texts.ts";
import { accountsOf, asker, chooseAccount } from "./ask.ts";
import { tellApart } from "./namesakes.ts";
import type { Ask, Provider } from "./provider.ts";
import { readWalletError } from "./wallet-error.ts";

/**
 * A wallet of this browser; its name and icon are its own words, and so is its maker's reverse domain, which is there
 * where another one has the same name.
 */
export type WalletChoice = {
  id: string;
  name: string;
  icon: string | undefined;
  maker: string | undefined;
};

/** A wallet that shares accounts with this page, the selected one first. */
type ConnectedWallet = WalletChoice & { accounts: readonly string[]; chainId: number };

/** The wallets of this browser (EIP-6963), and the one that is connected. */
export function useWallet() {
  const config = useConfig();
  const connectors = useConnectors();
  const connection = useConnection();
  const hasLegacy = useLegacy();

  const usable = useMemo(() => {
    const announced = connectors.filter(({ id }) => id !== "injected");
    return announced.length > 0 || !hasLegacy ? announced : connectors;
  }, [connectors, hasLegacy]);

  const makers = tellApart(usable.map(({ name, id }) => ({ name, rdns: id })));
  const choices = usable.map((one, at) => choiceOf(one, makers[at]));

  const connected: ConnectedWallet | undefined =
    connection.status === "connected"
      ? {
          ...(choices.find(({ id }) => id === connection.connector.uid) ?? choiceOf(connection.connector)),
          accounts: connection.addresses,
          chainId: connection.chainId,
        }
      : undefined;

  return {
    choices,
    connected,
    /** Whether a wallet that was used before is being looked for. */
    isLooking: connection.status === "reconnecting",
    /**
     * Connects the wallet, unless it is connected; then it is asked for the wanted account, unless it shares that.
     * @returns how it is asked @throws WalletError
     */
    async connect(id: string, wanted?: string): Promise<Ask> {
      const connector = connectors.find(({ uid }) => uid === id);
      if (connector === undefined) throw readWalletError("The wallet is gone.");
      try {
        const isCurrent = config.state.status === "connected" && config.state.current === connector.uid;
        if (!isCurrent) await connect(config, { connector });
        const ask = asker((await connector.getProvider()) as Provider);
        // A wallet that was locked meanwhile does not say so by itself.
        const shared = isCurrent ? await accountsOf(ask) : undefined;
        if (shared?.length === 0) await ask("eth_requestAccounts");
        else if (shared !== undefined && wanted !== undefined) await chooseAccount(ask, wanted, shared);
        return ask;
      } catch (error) {
        throw readWalletError(error);
      }
    },
    /** Forgets the wallet, so that another one can be chosen. */
    disconnect: async (): Promise<void> => disconnect(config),
  };
}

/** The id is the connector's own: wallets choose their reverse domain themselves, and may choose another's. */
function choiceOf({ uid, id, name, icon }: Connector, maker?: string): WalletChoice {
  // An address of an image would be asked for from whoever the wallet names.
  const isInside = icon?.trimStart().startsWith("data:image/");
  return {
    id: uid,
    maker,
    name: id === "injected" ? texts.wallet.browserWallet : name,
    icon: isInside ? icon?.trimStart() : undefined,
  };
}

/** Whether a wallet that announces itself by no event is there, or comes late. */
function useLegacy(): boolean {
  const [isThere, setThere] = useState(() => "ethereum" in window);
  useEffect(() => {
    const look = () => setThere("ethereum" in window);
    window.addEventListener("ethereum#initialized", look, { once: true });
    return () => window.removeEventListener("ethereum#initialized", look);
  }, []);
  return isThere;
}
