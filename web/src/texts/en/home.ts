export const home = {
  title: "Find a registered document",
  lead: "Paste an asset's id, an address, a hash or a link to sign, or type a name. Everything on the chain can be found by everybody.",
  results: "Results",
  newest: "Newest assets",
  newestNone: "Nothing has been registered yet.",
  newestNoneHint: "The first asset appears here as soon as its author has signed it and a block has it.",
  index: "State of the index",
  indexWords: {
    unknown: "How far the index is, is not known yet.",
    current: (block: number) => `Up to date with the chain, as of block ${block}.`,
    behind: (block: number, lag: number) =>
      `${lag} ${lag === 1 ? "block" : "blocks"} behind the chain, as of block ${block}.`,
    final: (block: number) => `What stands in blocks up to ${block} is final.`,
    confirmations: (count: number) =>
      `An asset is final once its block has ${count} ${count === 1 ? "confirmation" : "confirmations"}.`,
    finalized: "An asset is final once the chain itself has finalized its block.",
    pending: (count: number) =>
      count === 0
        ? "No registration or change of links is under way."
        : count === 1
          ? "One registration or change of links is under way."
          : `${count} registrations or changes of links are under way.`,
    stopped: (block: number) => `It stands at block ${block}, and is not being updated just now.`,
  },
};
