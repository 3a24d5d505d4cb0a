import { type HashMethod, hashMethods, methodName, readMethod, weaknessOf } from "asset-registry-proof";
import { Option } from "commander";
import { usualMethod } from "../files/usual-method.ts";
import type { Io } from "../io.ts";
import { printable } from "../output/printable.ts";
import { misuse } from "../problem.ts";

/** Methods that are taken where none is named. */
export const usualMethods: readonly HashMethod[] = [usualMethod];

/** The value of `methodsOption`. */
export type MethodsOption = { method?: HashMethod[] };

const names = hashMethods.map(methodName).join(", ");

/** Reads the name of a method in any usual spelling. @throws Problem */
export function methodOf(text: string): HashMethod {
  const method = readMethod(text);
  if (method !== undefined) return method;
  throw misuse("method-unknown", `There is no method ${printable(text)} here; there are ${names}.`);
}

/** The option by which methods are named, once for each. */
export const methodsOption = () =>
  new Option(
    "-m, --method <name>",
    "hash method in any usual spelling, or all; may be repeated (default: SHA2-256)",
  ).argParser((text: string, before: HashMethod[] | undefined) => {
    const named = text.toLowerCase() === "all" ? hashMethods : [methodOf(text)];
    return [...new Set([...(before ?? []), ...named])];
  });

/** Warns of methods that prove nothing against somebody who makes two files. */
export function warnOfWeak(methods: readonly HashMethod[], { stderr }: Io): void {
  for (const method of methods) {
    const weakness = weaknessOf(method);
    if (weakness !== undefined) stderr.write(`Warning: ${weakness}\n`);
  }
}
