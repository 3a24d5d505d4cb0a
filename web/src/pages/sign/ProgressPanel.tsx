import { useQuery } from "@tanstack/react-query";
import type { TransactionStatus } from "asset-registry-client";
import { Link } from "react-router";
import { Notice } from "../../parts/Notice.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { StateTimeline } from "../../parts/StateTimeline.tsx";
import { Time } from "../../parts/Time.tsx";
import { useSettings } from "../../service/settings.ts";
import { statusQuery } from "../../service/status.ts";
import { texts } from "../../texts/texts.ts";

const words = texts.sign.progress;

/** How far the request is, and where it led to. */
export function ProgressPanel({ status }: { status: TransactionStatus }) {
  const { state, history, assetId, signatureAliveUntil } = status;
  const isOnChain = state === "Committed" || state === "Confirmed";
  return (
    <Panel title={words.title}>
      <StateTimeline history={history} now={state === "Committed" ? <Depth status={status} /> : undefined} />
      {isOnChain && (
        <p>
          <Link to={`/assets/${assetId}`}>{words.asset}</Link>
        </p>
      )}
      {signatureAliveUntil !== null && (
        <Notice tone="warn">
          {words.alive} <Time at={signatureAliveUntil} />.
        </Notice>
      )}
    </Panel>
  );
}

/** How many blocks its change is deep. */
function Depth({ status: { blockNumber } }: { status: TransactionStatus }) {
  const { confirmations } = useSettings();
  const { data } = useQuery({ ...statusQuery, refetchInterval: 3_000 });
  if (confirmations === "finalized") return <p>{words.finalized}</p>;
  if (blockNumber === undefined || data?.indexedBlock == null) return null;
  const depth = Math.min(confirmations, Math.max(1, data.indexedBlock - blockNumber + 1));
  return (
    <p>
      {words.confirmations(depth, confirmations)}{" "}
      <progress value={depth} max={confirmations} aria-label={texts.parts.states.Committed} />
    </p>
  );
}
