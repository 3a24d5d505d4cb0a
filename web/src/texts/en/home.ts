export const home = {
  title: "Find a registered document",
  lead: "Paste an asset's id, an address, a hash or a link to sign, or type a name. Everything on the chain can be found by everybody.",
  drop: "Or drop the document itself",
  dropHint: "Its hash is computed in this browser and searched for. The file is not uploaded.",
  fileResults: "Assets that bear the hash of your file",
  fileNone:
    "No asset on the chain bears the hash of this file, by the methods that were tried. One changed byte makes another hash; a registration that its author has not signed yet is not on the chain.",
  verify: "Check it with all methods, and with a proof",
  results: "Results",
  none: "Nothing on the chain answers this.",
  noneHint:
    "Look whether the whole text was copied. A document whose author has not signed yet cannot be found here; names are found by their beginning and by whole words.",
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
