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
