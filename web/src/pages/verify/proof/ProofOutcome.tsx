import type { PublicAsset } from "asset-registry-client";
import { Notice } from "../../../parts/Notice.tsx";
import { AssetFacts } from "../AssetFacts.tsx";
import style from "../verify.module.css";
import { CheckList } from "./CheckList.tsx";
import type { Checked } from "./check-proof.ts";
import { ProofFacts } from "./ProofFacts.tsx";
import { proofVerdict, type Subject } from "./verdict.ts";

type ProofOutcomeProps = { checked: Checked; subject: Subject; asset: PublicAsset | undefined };

/** The verdict on a proof, each check of it, and the facts that it shows. */
export function ProofOutcome({ checked, subject, asset }: ProofOutcomeProps) {
  const { tone, title, meaning } = proofVerdict(checked, subject);
  return (
    <div className={style.outcome}>
      <Notice tone={tone} title={title}>
        {meaning}
      </Notice>
      {asset === undefined ? <ProofFacts checked={checked} /> : <AssetFacts asset={asset} />}
      <CheckList checked={checked} subject={subject} />
    </div>
  );
}
