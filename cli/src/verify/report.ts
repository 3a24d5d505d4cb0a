import { printable } from "../output/printable.ts";
import type { Style } from "../output/style.ts";
import type { Told, ToldCheck } from "./told.ts";

const colours = { valid: "green", invalid: "red", "cannot check": "yellow" } as const;

/** Checks that nobody asked for: there is no file, or there are no links. */
const notAsked = new Set(["no-file", "no-links"]);

/** A result for people, a check on each line. */
export function inWords(told: Told, style: Style): string {
  const { verdict, checks, texts, hint } = told;
  const facts = [
    ...factsOf(told),
    ...Object.entries(texts ?? {}).map(([name, text]) => fact(name, shortened(text))),
  ];
  const lines = [
    `${style(colours[verdict], verdict.toUpperCase())}  ${printable(told.proof)}`,
    ...(isUnreadable(checks)
      ? [`  ${checks[0]?.reason ?? ""}`]
      : checks.map((check) => checkLine(check, style))),
    ...(facts.length === 0 ? [] : ["", ...facts]),
    ...(told.block === undefined || verdict === "invalid" ? [] : [style("dim", asOf)]),
    ...(hint === undefined ? [] : [style("bold", hint)]),
  ];
  return `${lines.join("\n")}\n`;
}

/** No check was made, all for one reason. */
const isUnreadable = (checks: readonly ToldCheck[]): boolean =>
  checks.length > 0 && checks.every(({ code }) => code === "unreadable-document");

const asOf = "  What happened after that block is not in the proof.";

function checkLine({ name, outcome, code, reason }: ToldCheck, style: Style): string {
  const [word, colour] = notAsked.has(code)
    ? (["not asked", "dim"] as const)
    : ([outcome, colours[outcome]] as const);
  return `  ${name.padEnd(10)}${style(colour, word.padEnd(14))}${printable(reason)}`;
}

const fact = (name: string, text: string): string => `  ${name.padEnd(10)}${printable(text)}`;

function factsOf({ asset, block }: Told): string[] {
  return [
    ...(asset === undefined
      ? []
      : [
          fact("asset", asset.id),
          fact("author", asset.author),
          fact("registry", `${asset.registry} on chain ${asset.chainId}`),
        ]),
    ...(block === undefined ? [] : [fact("block", `${block.number}, ${block.hash}`)]),
  ];
}

/** Most characters of a text that are shown; JSON has all. */
const mostCharacters = 200;

function shortened(text: string | undefined): string {
  if (text === undefined || text.length <= mostCharacters) return text ?? "";
  return `${text.slice(0, mostCharacters)}… (${text.length} characters)`;
}
