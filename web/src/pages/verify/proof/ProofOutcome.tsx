import type { PublicAsset } from "asset-registry-client";
import { Notice } from "../../../parts/Notice.tsx";
import { useSettings } from "../../../service/settings.ts";
import { AssetFacts } from "../AssetFacts.tsx";
import style from "../verify.module.css";
import { CheckList } from "./CheckList.tsx";
import type { Checked } from "./check-proof.ts";
import { ProofFacts } from "./ProofFacts.tsx";
import { ServiceWord } from "./ServiceWord.tsx";
import { contradicts, isOfService } from "./service-word.ts";
import { proofVerdict, type Subject } from "./verdict.ts";

type ProofOutcomeProps = { checked: Checked; subject: Subject; asset: PublicAsset | undefined };

/** The verdict on a proof, each check of it, and the facts that it shows. */
export function ProofOutcome({ checked, subject, asset }: ProofOutcomeProps) {
  const settings = useSettings();
  const { proof, result } = checked;
  const place = {
    isElsewhere: proof !== undefined && !isOfService(proof, settings),
    // What the service tells of an asset is shown only where its own proof bears it out.
    isContradicted: asset !== undefined && contradicts(checked, asset),
  };
  const { tone, title, meaning } = proofVerdict(checked, subject, place);
  const isForeign = asset === undefined && proof !== undefined && result.verdict !== "invalid";
  return (
    <div className={style.outcome}>
      <Notice tone={tone} title={title}>
        {meaning}
      </Notice>
      {isForeign && <ServiceWord checked={checked} proof={proof} />}
      {asset === undefined || place.isContradicted ? (
        <ProofFacts checked={checked} />
      ) : (
        <AssetFacts asset={asset} />
      )}
      <CheckList checked={checked} subject={subject} />
    </div>
  );
}
