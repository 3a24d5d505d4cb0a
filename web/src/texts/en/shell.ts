export const shell = {
  product: "Asset Registry",
  skip: "Skip to the content",
  navigation: "Pages",
  home: "Search",
  verify: "Verify a file",
  register: "Register",
  inbox: "Inbox",
  wallets: "Wallets",
  api: "API",
  theme: "Colours",
  themes: { auto: "Automatic", light: "Light", dark: "Dark" },
  footer: (registry: string, chain: string, version: string) =>
    `Registry ${registry} on ${chain}. Version ${version}.`,
  failure: {
    title: "This page could not be shown",
    offline: "The service cannot be reached. Check your connection, then try again.",
    refused: (message: string) => `The service refused: ${message}`,
    unexpected: "Something went wrong in this page. Nothing was changed by it.",
    again: "Try again",
  },
  behind: (block: number, lag: number, seconds: number | null) =>
    `The index is ${lag} blocks behind the chain: what you see is as of block ${block}.${
      seconds === null ? "" : ` It should catch up in about ${Math.ceil(seconds / 60)} min.`
    }`,
  notRunning: (block: number) =>
    `The index is not being updated just now: what you see is as of block ${block}.`,
  halted: (reason: string) => `The index has stopped: ${reason}`,
  waiting: (problem: string) => `The index waits: ${problem}`,
  noIndex: "The index has not begun yet, so registered assets are not shown.",
  unreachable:
    "The service cannot be reached just now. What you see may be out of date; it is asked again by itself.",
};
