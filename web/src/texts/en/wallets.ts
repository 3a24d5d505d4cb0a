import type { Mismatch } from "../../pages/wallets/rules/check-connection.ts";
import type { Step } from "../../pages/wallets/rules/connect-wallet.ts";

type Said = { title: string; next: string };

export const wallets = {
  title: "Wallets",
  lead: "The accounts that you sign with. What they are asked to sign shows up in your inbox.",
  why: "Wallets belong to somebody. Sign in, so that this service knows whose they are.",
  connected: "Your wallets",
  count: (many: number) => (many === 1 ? "One wallet is connected." : `${many} wallets are connected.`),
  none: "No wallet is connected yet. Connect the one that you sign with below.",
  unnamed: "Wallet without a name",
  address: "address",

  remove: {
    button: "Remove",
    which: (name: string) => `Remove ${name}`,
    title: "Remove this wallet?",
    effect:
      "What its account is asked to sign does not show up in your inbox any more, and another user may connect it. What it has registered stays, and links that were sent to you still work. You can connect it again at any time.",
    keep: "Keep it",
    confirm: "Remove it",
    doing: "Removing …",
  },

  connect: {
    title: "Connect a wallet",
    name: "Name",
    nameHint: "So that you tell your wallets apart, such as Office. You can leave it out.",
    description: "Description",
    tooLong: (most: number) => `This is too long: ${most} characters fit. Shorten it.`,
    what: "Your wallet asks you to sign this sentence: “I connect this address to this user of the Asset Registry.” With it stand:",
    facts: { service: "Service", user: "User", chain: "Chain" },
    chainOf: (name: string, id: number) => `${name} (chain ${id})`,
    free: "It costs nothing, sends nothing to the chain, and moves nothing that the account holds.",
    selected: "Selected in your wallet:",
    button: "Connect with",
    steps: {
      connect: "Waiting for your wallet to share its account",
      network: "Waiting for your wallet to be on the right chain",
      start: "Asking the service what is to be signed, and checking it",
      ask: "Waiting for you to sign in your wallet",
      confirm: "Telling the service",
    } satisfies Record<Step, string>,
    done: (address: string) => `${address} is connected`,
    doneNext: "What it is asked to sign now shows up in your inbox.",
    noWallet: "There is no wallet in this browser",
    noWalletHint:
      "A wallet is a program or an app that keeps the key of an account. If yours is on a phone, open this page in the wallet's own browser; if it is on this computer, open the page in the browser that has it.",

    accountChanged: {
      title: "Another account was selected in your wallet meanwhile",
      next: "Nothing was signed. Look which account is selected now, then connect it.",
    },
    already: {
      title: "This account is connected already",
      next: "It stands in your list. To connect another one, select it in your wallet first.",
    },
    obstacles: {
      UNREADABLE: "Nothing was signed: what the service asks for cannot be read",
      CHAIN: "Nothing was signed: the service asks for a signature for another chain",
      REGISTRY: "Nothing was signed: the service asks for a signature for another contract",
      SERVICE: "Nothing was signed: the signature would connect you to another service",
      USER: "Nothing was signed: the signature would connect the account to another user",
      WORDS: "Nothing was signed: the service asks for something else than this sentence",
    } satisfies Record<Mismatch, string>,
    mismatchNext: "This page did not ask your wallet. Tell the operator of this service.",
    failed: "The wallet was not connected",
    refusedByService: {
      WALLET_TAKEN: {
        title: "This account is connected to another user",
        next: "An account belongs to one user at a time. If that is you under another name, sign in with it and remove the wallet there. Otherwise select another account.",
      },
      INITIALISATION_EXPIRED: {
        title: "The signature came too late",
        next: "It has to be given within a few minutes. Connect once more; nothing was lost.",
      },
      INITIALISATION_USED: {
        title: "This connection was completed already",
        next: "Look at your list. If the wallet is not there, connect once more.",
      },
      WALLET_NOT_FOUND: {
        title: "The service does not know this connection any more",
        next: "Connect once more; nothing was lost.",
      },
      SIGNATURE_INVALID: {
        title: "Another account signed than the one that your wallet shared",
        next: "Select the account to connect in your wallet, then connect once more.",
      },
      TOO_MANY_WALLETS: {
        title: "You have as many wallets as one user may have",
        next: "Remove one that you do not need any more, then connect this one.",
      },
      TOO_MANY_OPEN_INITIALISATIONS: {
        title: "You have begun too many connections without signing",
        next: "They end by themselves within ten minutes. Then connect once more.",
      },
    } as Record<string, Said | undefined>,
  },
};
