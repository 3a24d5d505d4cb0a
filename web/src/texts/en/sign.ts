import type { AssetState, Transaction } from "asset-registry-client";
import type { RequestError, Step } from "../../pages/sign/rules/sign-request.ts";
import { fields } from "./fields.ts";

type Said = { title: string; next: string };

export const sign = {
  title: "Sign",
  titles: {
    create: "Request to register an asset",
    link: "Request to link assets",
    revoke: "Request to revoke links",
  } satisfies Record<Transaction["kind"], string>,
  askedBy: "Asked by",
  askedOn: "on",

  unknown: {
    title: "This link leads to no request",
    next: "It may have been cut short when it was copied, or belong to another service. Ask whoever sent it for the whole link.",
  },
  away: {
    title: "The request cannot be shown just now",
    next: "The service or its node does not answer. It is asked again every few seconds; nothing is lost meanwhile.",
  },

  what: {
    title: "What you sign",
    closedTitle: "What it is about",
    empty: "Left empty",
    create:
      "By signing, you register the following under your account as its author. It becomes public on the chain and can never be deleted.",
    link: (count: number) =>
      `By signing, you link your asset to ${count === 1 ? "another" : `${count} others`}. Everybody can see that; you can revoke it later.`,
    revoke: (count: number) =>
      `By signing, you revoke ${count === 1 ? "a link" : `${count} links`} of your asset. That it stood once stays visible.`,
    fields,
    author: "Author (your account)",
    asset: "Your asset",
    targets: "Linked assets",
    revoked: "Links to revoke",
    assetId: "Asset id",
    chain: "Chain",
    registry: "Registry",
    chainOf: (name: string, id: number) => `${name} (chain ${id})`,
    details: "Technical details",
    callData: "Bytes of the call",
    checked:
      "This page decoded the bytes itself, and computed the asset's id from them: they say what is shown here.",
    more: (count: number) => `and ${count} more`,
  },

  act: {
    title: "Your answer",
    until: "Open until",
    cost: "Cost",
    usualCost: (usual: string, most: string) =>
      `about ${usual}${most === usual ? "" : `, at most ${most}`}; your wallet says it exactly`,
    unknownCost: "your wallet says it",
    free: "nothing: the service pays the chain",
    way: "Who pays the chain's fee?",
    ways: {
      gasless: "The service pays; I only sign",
      send: (cost: string | undefined) => (cost === undefined ? "I pay it" : `I pay it: about ${cost}`),
    },
    signWith: "Sign with",
    looking: "Looking for your wallet …",
    connectedAccount: "Account",
    refuse: "I do not want to sign",
    refuseWhy:
      "Refuse by a signature, which costs nothing: whoever asked sees that you declined, and the request is closed. If you do nothing, it expires by itself.",
    refuseWith: "Refuse with",
    lookThere: "If you do not see it, open the wallet by its icon in the browser's bar, or its app.",
    steps: {
      connect: "Waiting for your wallet to share its account",
      network: "Waiting for your wallet to be on the right chain",
      read: "Checking the request once more",
      ask: "Waiting for you to approve in your wallet",
    } satisfies Record<Step, string>,
  },

  phone: {
    title: "Sign on another device",
    noWallet: {
      title: "There is no wallet in this browser",
      next: "The account that is asked for is in a wallet, a program or app that keeps its key. If it is on your phone, scan the code with it, or open the link in the wallet's own browser. If it is on this computer, open the link in the browser that has it.",
    },
    how: "Scan the code with a phone that has the wallet, or open the link in the wallet's own browser. This page follows by itself.",
    label: "QR code of the link to this page",
    link: "link to this page",
    share: "Share the link",
    secret:
      "Keep the link to yourself: whoever has it can read the request. Only your account can answer it.",
  },

  account: {
    wrongTitle: "Another account is selected in your wallet",
    asked: "Asked for",
    selected: "Selected now",
    next: "Select the account that is asked for in your wallet. Then sign here; where the wallet asks which accounts this page may see, choose that one.",
  },

  slow: {
    title: "Your wallet has not answered yet",
    next: "Open it, by its icon in the browser's bar or its app: it may be waiting for you there. If it asks nothing, ask it again; approve only one of its questions.",
    again: "Ask the wallet again",
  },
  elsewhere: {
    title: "Another tab of this browser is already asking your wallet",
    next: "Answer there, or close it and try again here.",
  },
  otherCall: {
    title: "Your wallet sent something else than it was asked for",
    next: "The transaction that it reports does not do what is shown here. Look at it in your wallet, and if you did not change it yourself, do not trust this wallet any more: move what the account holds to a new one.",
  },

  obstacles: {
    CLOSED: {
      title: "It has been answered meanwhile",
      next: "On another device, in another tab, or its time was over. Its state is shown below.",
    },
    NOT_OFFERED: {
      title: "The service does not pay for it any more",
      next: "Sign it as a transaction of your own.",
    },
    CHANGED: { title: "Do not sign: the service asks for something else than it showed before", next: "" },
    CHAIN: { title: "Do not sign: the request is for another chain than this service", next: "" },
    REGISTRY: { title: "Do not sign: the request calls another contract than the registry", next: "" },
    VALUE: { title: "Do not sign: the request would send money of yours", next: "" },
    CALL: { title: "Do not sign: the bytes are not the change that is shown", next: "" },
    WORDS: { title: "Do not sign: the bytes say something else than the words", next: "" },
    ASSET_ID: { title: "Do not sign: the asset's id does not belong to these words", next: "" },
    REFUSAL: { title: "Do not sign: the refusal is not for this request", next: "" },
    GASLESS: { title: "Do not sign: what the service would send is not what is shown", next: "" },
  } satisfies Record<RequestError["obstacle"], Said>,
  mismatchNext:
    "This page refuses to ask your wallet. Tell whoever sent you the link, and the operator of the service; nothing was signed.",

  refusedByService: {
    TRANSACTION_CLOSED: {
      title: "It has been answered meanwhile",
      next: "On another device, in another tab, or its time was over. Its state is shown below.",
    },
    SIGNATURE_INVALID: {
      title: "Another account signed",
      next: "Select the account that is asked for in your wallet, and sign again.",
    },
    RELAYER_BUDGET_SPENT: {
      title: "The service has spent what it pays in a day",
      next: "Sign it as a transaction of your own, or come back tomorrow.",
    },
    RELAYER_DISABLED: {
      title: "The service does not pay for it any more",
      next: "Sign it as a transaction of your own.",
    },
    OTHER_WAY_TAKEN: {
      title: "You have answered in another way already",
      next: "One is enough: wait for it.",
    },
    NONCE_IN_USE: { title: "You have signed it already", next: "One signature is enough: wait for it." },
  } as Record<string, Said | undefined>,
  refusedOtherwise: {
    title: "The service did not take it",
    next: (message: string) => `It said: ${message}`,
  },

  progress: {
    title: "Where it is",
    confirmations: (have: number, need: number) => `${have} of ${need} blocks`,
    finalized: "Waits until the chain calls its block final.",
    asset: "See the asset",
    alive: "The signature that you gave is public: anybody could still make the change with it until",
  },

  outlook: {
    received: { title: "It waits for you", next: "Read what you sign, then answer." },
    askedBefore: {
      title: "Your wallet was asked already",
      next: "If you approved it there, wait: it shows up here once it is in a block. If not, sign again, and approve only one of its questions.",
    },
    telling: {
      title: "Signed; the service is still to be told",
      next: "It cannot be reached just now. Leave this page open: it tries again by itself.",
    },
    sent: {
      title: "You have signed it",
      next: "The service looks for it on the chain. This page follows by itself.",
    },
    neverSeen: {
      title: "The chain has not seen it yet",
      next: "Look into your wallet: where it shows the transaction as pending, wait, or speed it up there. Where it shows none, sign again.",
    },
    signed: {
      title: "Signed",
      next: "The service sends it to the chain. This page follows by itself; you may close it.",
    },
    submitted: {
      title: "On its way into a block",
      next: "That takes seconds to minutes. This page follows by itself; you may close it.",
    },
    late: {
      title: (minutes: number) => `On its way for ${minutes} min`,
      next: "The chain is slow or busy. Where your wallet sent it, you can speed it up there: the service notices by itself. It is not lost by waiting.",
    },
    hints: {
      NOT_SEEN: {
        title: "The chain has lost sight of it",
        next: "Open your wallet: where it shows the transaction as pending, speed it up there or send it again. Otherwise it ends by itself when its time is over.",
      },
      FEE_BELOW_BASE_FEE: {
        title: "Its fee is too low just now",
        next: "It waits until the chain's price falls. To go on at once, speed it up in your wallet.",
      },
    },
    committed: {
      title: "In a block, soon final",
      next: "A few more blocks, and nothing can undo it. You may close this page.",
    },
    confirmed: { title: "Done: it is final", next: "Nothing is left to do." },
    ended: {
      RevokedByUser: "Closed by its author",
      RevokedByTxServer: "Closed by the service",
      RevokedByBlockchain: "The chain rejected it",
    } as Record<AssetState, string>,
    reasons: {
      REFUSED: "It was refused by a signature. Whoever asked sees that; nothing was registered.",
      NONCE_USED:
        "The account used the transaction's number for another one, as cancelling in a wallet does. If you did not mean to, ask for a new request.",
      EXPIRED: "Nobody signed it in time. If you still want it, ask for a new request.",
      OUT_OF_GAS:
        "Its gas limit was too low. Ask for a new request, and leave the limit as the wallet proposes it.",
      REVERTED: "The registry did not take it, and the chain does not say why. Ask for a new request.",
      INSUFFICIENT_FUNDS:
        "The account could not pay the fee. Send it some currency, and ask for a new request.",
      GAS_TOO_LOW:
        "Its gas limit was too low. Ask for a new request, and leave the limit as the wallet proposes it.",
      GAS_TOO_HIGH: "Its gas limit was higher than the chain allows. Ask for a new request.",
      FEE_TOO_LOW:
        "Its fee was lower than the chain accepts. Ask for a new request, and take the fee that the wallet proposes.",
      REJECTED: "The chain's node refused it for good. Ask for a new request.",
      NOT_ESTIMATED: "No node could say what it costs. Ask for a new request.",
      NOT_ACCEPTED: "No node took it before its time was over. Ask for a new request.",
      DROPPED:
        "The chain lost it, and its time is over. If your wallet still shows it as pending, cancel it there; then ask for a new request.",
      ASSET_EXISTS: "The asset is registered already: nothing is left to do.",
      CREATION_IS_CANCELLED: "Its author cancelled this registration on the chain before.",
      NOT_AUTHOR: "The account is not the author of the asset.",
      LINK_STANDS: "The link stands already: nothing is left to do.",
      LINK_DOES_NOT_STAND: "The link does not stand any more: nothing is left to do.",
      DEADLINE_EXPIRED: "The signature came too late. Ask for a new request.",
    },
    otherReason: (reason: string | undefined) =>
      reason === undefined
        ? "Ask for a new request."
        : `The reason given is ${reason}. Ask for a new request if you still want it.`,
  },
};
