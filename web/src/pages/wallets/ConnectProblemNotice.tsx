import { RegistryError } from "asset-registry-client";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { problemInWords } from "../../service/problem-words.ts";
import { texts } from "../../texts/texts.ts";
import { WalletProblem } from "../../wallet/WalletProblem.tsx";
import { WalletError } from "../../wallet/wallet-error.ts";
import { ConnectProblem } from "./rules/connect-wallet.ts";
import type { Problem } from "./use-connecting.ts";

const words = texts.wallets.connect;

/** What stood in the way of a connection, and what helps. */
export function ConnectProblemNotice({ problem }: { problem: Problem }) {
  return (
    <div role="alert">
      <Words problem={problem} />
    </div>
  );
}

function Words({ problem }: { problem: Problem }) {
  if (problem === "SLOW") return <Said {...texts.sign.slow} />;
  if (problem === "ELSEWHERE") return <Said {...texts.sign.elsewhere} />;
  const { thrown } = problem;
  if (thrown instanceof WalletError) {
    // No account is asked for here: it changed while the wallet was being asked.
    return thrown.failure === "WRONG_ACCOUNT" ? (
      <Said {...words.accountChanged} />
    ) : (
      <WalletProblem error={thrown} />
    );
  }
  if (thrown instanceof ConnectProblem) {
    return thrown.obstacle === "ALREADY" ? (
      <Said {...words.already} />
    ) : (
      <Notice tone="bad" title={words.obstacles[thrown.obstacle]}>
        {words.mismatchNext}
      </Notice>
    );
  }
  const known = thrown instanceof RegistryError ? words.refusedByService[thrown.code] : undefined;
  if (known !== undefined) return <Said {...known} />;
  return <Said title={words.failed} next={problemInWords(thrown)} />;
}

function Said({ title, next }: { title: string; next: string }) {
  return (
    <Notice tone="warn" title={title}>
      <ForeignText text={next} />
    </Notice>
  );
}
