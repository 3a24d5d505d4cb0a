import { styleText } from "node:util";
import type { Io, Output } from "../io.ts";

type Colour = "green" | "red" | "yellow" | "bold" | "dim";

export type Style = (colour: Colour, text: string) => string;

/** Colours for a terminal alone, unless FORCE_COLOR or NO_COLOR (https://no-color.org) says otherwise. */
export function createStyle({ env }: Pick<Io, "env">, output: Output): Style {
  const isOn =
    wantsColours(env["FORCE_COLOR"], env["NO_COLOR"]) ?? (output.isTTY === true && env["TERM"] !== "dumb");
  return (colour, text) => (isOn ? styleText(colour, text, { validateStream: false }) : text);
}

function wantsColours(force: string | undefined, no: string | undefined): boolean | undefined {
  if (force !== undefined) return force !== "0" && force !== "false";
  return no === undefined || no === "" ? undefined : false;
}
