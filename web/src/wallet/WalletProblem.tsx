import { ForeignText } from "../parts/ForeignText.tsx";
import { Notice } from "../parts/Notice.tsx";
import { texts } from "../texts/texts.ts";
import type { WalletError } from "./wallet-error.ts";

const quiet: readonly WalletError["failure"][] = ["REJECTED", "WRONG_ACCOUNT"];

/** What a wallet did not do, and what helps. */
export function WalletProblem({ error: { failure, said } }: { error: WalletError }) {
  const { title, next } = texts.wallet.failures[failure];
  return (
    <Notice tone="warn" title={title}>
      <p>{next}</p>
      {said !== undefined && !quiet.includes(failure) && (
        <p>
          <ForeignText text={texts.wallet.said(said)} most={300} />
        </p>
      )}
    </Notice>
  );
}
