import type { AssetState } from "asset-registry-client";
import { texts } from "../texts/texts.ts";
import style from "./StateBadge.module.css";

const tones: Record<AssetState, "open" | "good" | "bad"> = {
  Received: "open",
  TxSignatureSubmitted: "open",
  Submitted: "open",
  Committed: "open",
  Confirmed: "good",
  RevokedByTxServer: "bad",
  RevokedByUser: "bad",
  RevokedByBlockchain: "bad",
};

/** A state in words, with the API's name for it as its title. */
export function StateBadge({ state }: { state: AssetState }) {
  return (
    <span className={`${style.badge} ${style[tones[state]]}`} title={state}>
      {texts.parts.states[state]}
    </span>
  );
}
