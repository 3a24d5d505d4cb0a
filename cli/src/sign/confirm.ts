import type { Io } from "../io.ts";
import { Problem } from "../problem.ts";
import type { Signer } from "./signer.ts";

/** Asks whether to sign what was shown. @throws Problem with these words where the answer is not yes */
export async function requireConfirmed({ yes }: Signer, otherwise: string, io: Io): Promise<void> {
  if (yes) return;
  const answer = await io.ask?.("Sign it? Type yes: ", { hidden: false });
  if (answer?.trim().toLowerCase() === "yes") return;
  throw new Problem("not-confirmed", `Nothing was signed. ${otherwise}`);
}
