import type { Check, Proof, Result } from "asset-registry-proof";

/** A check as the program tells it; it has codes of its own beside those of the verifier. */
export type ToldCheck = Omit<Check, "code"> & { code: string };

/** A result with the checks that only this program makes, and the texts that the proof has shown. */
export type Told = Omit<Result, "checks"> & {
  /** Where the proof comes from. */
  proof: string;
  checks: ToldCheck[];
  texts?: Partial<Proof["asset"]>;
  hint?: string;
};

/** The checks with one of them in the place of that of its name. */
export const replaced = (checks: readonly ToldCheck[], by: ToldCheck): ToldCheck[] =>
  checks.map((one) => (one.name === by.name ? by : one));
