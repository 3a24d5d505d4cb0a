import type { InboxEntry } from "asset-registry-client";

export const inbox = {
  title: "Inbox",
  lead: "What your accounts are asked to sign, and what became of it.",
  why: "Your inbox shows what others ask the accounts of your wallets to sign. Sign in, so that it knows which are yours.",
  open: "Waiting for your signature",
  waiting: (many: number, hasMore: boolean) =>
    hasMore
      ? `More than ${many} requests wait for you. The newest stand first.`
      : many === 1
        ? "One request waits for you."
        : `${many} requests wait for you. The newest stand first.`,
  answered: "Answered and ended",
  noneAnswered: "What you have signed or refused, and what has ended by itself, is kept here.",
  kinds: {
    create: "Register an asset",
    link: "Link an asset to others",
    revoke: "Revoke links of an asset",
  } satisfies Record<InboxEntry["kind"], string>,
  becomesPublic: "Your account becomes its author; its texts become public and stay so.",
  askedBy: "Asked by",
  account: "Account",
  until: "Open until",
  askedOn: "Asked on",
  answer: "Read and answer",
  look: "See what became of it",
  asset: "See the asset",
  more: "Show more",
  asBefore: "What is shown is as of before. It is asked again by itself.",
  none: "Nothing waits for you",
  noneHint: (wallets: number) =>
    `When somebody asks ${wallets === 1 ? "the account of your wallet" : `one of your ${wallets} wallets`} to sign, it shows up here by itself. You can leave this page open.`,
  noWallet: "Connect a wallet first",
  noWalletHint:
    "Requests are made to accounts. Connect the wallet that you sign with: then what its account is asked shows up here.",
  connect: "Connect a wallet",
};
