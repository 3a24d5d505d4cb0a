import { RegistryError } from "asset-registry-client";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { texts } from "../../texts/texts.ts";
import { WalletProblem } from "../../wallet/WalletProblem.tsx";
import { WalletError } from "../../wallet/wallet-error.ts";
import { mayComeBack } from "./rules/deliver.ts";
import { RequestError } from "./rules/sign-request.ts";
import type { Problem } from "./use-signing.ts";

const words = texts.sign;

/** What stands in the way of an answer, and what helps. */
export function ProblemNotice({ problem }: { problem: Problem }) {
  return (
    <div role="alert">
      <Words problem={problem} />
    </div>
  );
}

function Words({ problem }: { problem: Problem }) {
  if (problem === "SLOW") return <Said tone="warn" {...words.slow} />;
  if (problem === "ELSEWHERE") return <Said tone="warn" {...words.elsewhere} />;
  if (problem === "OTHER_CALL") return <Said tone="bad" {...words.otherCall} />;
  const { thrown } = problem;
  if (thrown instanceof WalletError) return <WalletProblem error={thrown} />;
  if (thrown instanceof RequestError) {
    const { title, next } = words.obstacles[thrown.obstacle];
    return <Said tone={next === "" ? "bad" : "warn"} title={title} next={next || words.mismatchNext} />;
  }
  if (mayComeBack(thrown)) return <Said tone="warn" {...words.away} />;
  if (!(thrown instanceof RegistryError)) throw thrown;
  const known = words.refusedByService[thrown.code];
  return (
    <Said
      tone="warn"
      {...(known ?? {
        title: words.refusedOtherwise.title,
        next: words.refusedOtherwise.next(thrown.message),
      })}
    />
  );
}

function Said({ tone, title, next }: { tone: "warn" | "bad"; title: string; next: string }) {
  return (
    <Notice tone={tone} title={title}>
      <ForeignText text={next} />
    </Notice>
  );
}
