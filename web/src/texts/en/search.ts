import type { SearchProblem } from "../../search/understand.ts";

const problems: Record<Exclude<SearchProblem["code"], "digits">, string> = {
  checksum:
    "The capitals of this address do not fit its digits, so one of them may be mistyped. Copy the address again, or write it in small letters.",
  shortened:
    "The dots show that this was shortened for display. Copy the whole: there is a button beside it.",
  "too-long": "This is longer than any id, hash or name that can be searched for.",
  "no-words": "There is nothing here to search for: type at least one letter, digit or symbol.",
};

export const search = {
  label: "Search",
  placeholder: "Id, hash, address, name or link to sign",
  go: "Search",
  clear: "Clear the search",
  problem: (problem: SearchProblem) =>
    problem.code === "digits"
      ? `This looks like an id, an address or a hash, but has ${problem.digits} hex digits: an id has 64, an address 40. Some may be missing; copy it again.`
      : problems[problem.code],
  why: {
    id: "has this id",
    author: "by this author",
    name: "by name",
    words: "by name",
    hash: (method: string) => `same file by ${method}`,
  },
  file: {
    drop: "Or drop the document itself",
    dropHint: "Its hash is computed in this browser and searched for. The file is not uploaded.",
    results: "Assets that bear the hash of your file",
    none: "No asset on the chain bears the hash of this file, by the methods that were tried. One changed byte makes another hash; a registration that its author has not signed yet is not on the chain.",
    verify: "Check it with all methods, and with a proof",
  },
  none: "Nothing on the chain answers this.",
  noneHint:
    "Look whether the whole text was copied. A document whose author has not signed yet cannot be found here; names are found by their beginning and by whole words.",
  author: "Author",
  registered: "Registered",
  unnamed: "Asset without a name",
  final: "Confirmed",
  notFinal: "In a block, not yet final",
  more: "Show more",
  loading: "Searching …",
  again: "Try again",
  found: (count: number, isAll: boolean) =>
    isAll
      ? count === 1
        ? "1 asset found."
        : `${count} assets found.`
      : `The first ${count} assets, there may be more.`,
};
