import type { WalletFailure } from "../../wallet/wallet-error.ts";

type Said = { title: string; next: string };

export const wallet = {
  browserWallet: "The wallet of this browser",
  connected: (name: string) => `Connected to ${name}`,
  another: "Use another wallet or account",
  failures: {
    REJECTED: {
      title: "You declined in your wallet",
      next: "Nothing was signed or sent. You can try again whenever you like.",
    },
    PROMPT_OPEN: {
      title: "Your wallet is already asking you something",
      next: "Open the wallet, by its icon in the browser's bar or its app, and answer what it asks. Then try again.",
    },
    NOT_CONNECTED: {
      title: "Your wallet does not share the account with this page any more",
      next: "Connect it again.",
    },
    UNSUPPORTED: {
      title: "Your wallet cannot do this",
      next: "Use another wallet that holds the same account, or choose the other way of signing.",
    },
    DISCONNECTED: {
      title: "Your wallet does not reach the chain",
      next: "Check your connection and the network in the wallet, then try again.",
    },
    UNKNOWN_CHAIN: {
      title: "Your wallet does not know this chain",
      next: "Add the chain in the wallet's settings, with the number that is shown here, then try again.",
    },
    WRONG_CHAIN: {
      title: "Your wallet is on another chain",
      next: "Nothing was sent. Try again, and let the wallet change to the chain that is shown here.",
    },
    WRONG_ACCOUNT: {
      title: "Another account is selected in your wallet",
      next: "Select the account that is asked for in your wallet, and share it with this page. Then try again.",
    },
    NO_FUNDS: {
      title: "The account cannot pay for the transaction",
      next: "Send it some of the chain's currency first, then try again.",
    },
    BAD_ANSWER: {
      title: "Your wallet answered something unexpected",
      next: "Look into the wallet whether it sent anything. If so, wait: it shows up here once it is in a block.",
    },
    OTHER: { title: "Your wallet could not do it", next: "Try again, or use another wallet." },
  } satisfies Record<WalletFailure, Said>,
  said: (words: string) => `It said: ${words}`,
};
