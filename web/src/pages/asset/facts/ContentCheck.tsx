import type { PublicAsset } from "asset-registry-client";
import { useMemo } from "react";
import { HexValue } from "../../../parts/HexValue.tsx";
import { Panel } from "../../../parts/Panel.tsx";
import { texts } from "../../../texts/texts.ts";
import { type CheckVerdict, checkContent } from "./content-check.ts";
import style from "./Facts.module.css";

const words = texts.asset.check;
const marks: Record<CheckVerdict, string> = { agrees: "✓", differs: "✕", cannot: "!" };

/** Says whether the texts on this page are those that the id and the chain commit to. */
export function ContentCheck({ asset }: { asset: PublicAsset }) {
  const checks = useMemo(() => checkContent(asset), [asset]);
  const values = {
    id: asset.id,
    blockchainHash: asset.blockchainHash,
    documentDbHash: asset.documentDbHash,
  };
  return (
    <Panel title={words.title}>
      <p className={style.quiet}>{words.lead}</p>
      <ul className={style.checks}>
        {(["id", "blockchainHash", "documentDbHash"] as const).map((name) => (
          <li key={name} className={style.check}>
            <span className={`${style.mark} ${style[checks[name]]}`} aria-hidden="true">
              {marks[checks[name]]}
            </span>
            <div className={style.words}>
              <p>
                <strong>{words.names[name]}:</strong> {words[name][checks[name]]}
              </p>
              <HexValue value={values[name]} label={words.names[name]} />
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
