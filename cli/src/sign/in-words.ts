import { printable } from "../output/printable.ts";
import type { Change } from "./change.ts";
import type { Expected } from "./expected.ts";

/** What is signed, in words made of what the user asked for, and not of what the service says. */
export function changeInWords({ change, assetId, signer, chainId, registry }: Expected): string {
  return [
    `You sign as ${signer}, for the registry ${registry} on chain ${chainId}:`,
    ...linesOf(change, assetId).map((line) => `  ${line}`),
  ].join("\n");
}

function linesOf(change: Change, assetId: string): string[] {
  switch (change.kind) {
    case "create":
      return [
        `create the asset ${assetId}, visible to everyone for ever:`,
        ...Object.entries(change.texts)
          .filter(([, text]) => text !== "")
          .map(([name, text]) => `  ${name.padEnd(10)}${printable(text)}`),
      ];
    case "link":
      return [`link the asset ${change.parent} to`, ...change.children.map((child) => `  ${child}`)];
    case "revoke":
      return [
        `revoke the links of the asset ${change.parent} to`,
        ...change.children.map((child) => `  ${child}`),
      ];
  }
}
