import type { Wallet, WalletInitialisation, WalletLabels } from "asset-registry-client";
import { useRef, useState } from "react";
import type { User } from "../../identity/ForUser.tsx";
import { useSettings } from "../../service/settings.ts";
import { oneAtATime } from "../../wallet/one-at-a-time.ts";
import { useWallet } from "../../wallet/use-wallet.ts";
import { WalletError } from "../../wallet/wallet-error.ts";
import { connectWallet, type Step } from "./rules/connect-wallet.ts";
import { tokenNames } from "./rules/token-names.ts";

/** Milliseconds after which a wallet that does not answer is not waited for any more; a late answer still counts. */
const PATIENCE = 45_000;
/** Milliseconds that a connection must still be open for when the wallet is asked. */
const TIME_TO_SIGN = 120_000;

/** What stands in the way, for the user to see. */
export type Problem = "SLOW" | "ELSEWHERE" | { thrown: unknown };

type Started = { labels: string; initialisation: WalletInitialisation };

/** Leads a wallet to the signature that connects its account, one question at a time. */
export function useConnecting({ session, asMe }: User, mine: readonly Wallet[], onConnected: () => void) {
  const { chain, registry, publicUrl } = useSettings();
  const wallet = useWallet();
  const [doing, setDoing] = useState<Step>();
  const [problem, setProblem] = useState<Problem>();
  const [connected, setConnected] = useState<Wallet>();
  const isBusy = useRef(false);
  const started = useRef<Started>(undefined);

  /** A connection that was not completed is used again, as long as it says the same: each user may have only so many. */
  async function start(labels: WalletLabels): Promise<WalletInitialisation> {
    const key = JSON.stringify(labels);
    const before = started.current;
    const isGood =
      before?.labels === key && Date.parse(before.initialisation.expiration) - Date.now() > TIME_TO_SIGN;
    if (isGood) return before.initialisation;
    const initialisation = await asMe((service) => service.startWallet(labels));
    started.current = { labels: key, initialisation };
    return initialisation;
  }

  async function attempt(walletId: string, labels: WalletLabels): Promise<void> {
    try {
      const made = await connectWallet({
        chain,
        known: {
          registry: { chainId: chain.id, address: registry },
          service: publicUrl,
          issuer: session.issuer,
          isMe: (user) => tokenNames(session.token, user),
        },
        mine: mine.map(({ ethereumAddress }) => ethereumAddress),
        connect: () => wallet.connect(walletId),
        start: () => start(labels),
        confirm: (id, confirmation) => asMe((service) => service.confirmWallet(id, confirmation)),
        onStep: setDoing,
      });
      started.current = undefined;
      setProblem(undefined);
      setConnected(made);
      onConnected();
    } catch (thrown) {
      setProblem({ thrown });
      // What the service refused is not signed again.
      if (!(thrown instanceof WalletError)) started.current = undefined;
    }
  }

  /** Asks a wallet to connect its selected account; does nothing while one is being asked. */
  async function connect(walletId: string, labels: WalletLabels): Promise<void> {
    // State comes too late for the second of two clicks.
    if (isBusy.current) return;
    isBusy.current = true;
    setProblem(undefined);
    setConnected(undefined);
    const held = await oneAtATime("connect-wallet", async () => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const isSlow = new Promise<"slow">((resolve) => {
        timer = setTimeout(() => resolve("slow"), PATIENCE);
      });
      const ended = await Promise.race([attempt(walletId, labels), isSlow]);
      clearTimeout(timer);
      if (ended === "slow") setProblem("SLOW");
    });
    if (held === undefined) setProblem("ELSEWHERE");
    setDoing(undefined);
    isBusy.current = false;
  }

  return { wallet, doing, problem, connected, connect };
}
