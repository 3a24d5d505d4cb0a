import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "react-router";
import { ApiKeyForm } from "../../parts/ApiKeyForm.tsx";
import { HexValue } from "../../parts/HexValue.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { StateTimeline } from "../../parts/StateTimeline.tsx";
import type { ReadAs } from "../../service/follow-events.ts";
import { problemInWords } from "../../service/problem-words.ts";
import { useApiKey, useKeyedRegistry } from "../../service/use-api-key.ts";
import { RARELY, useEvents } from "../../service/useEvents.ts";
import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";
import style from "./Asset.module.css";
import { isNotFound } from "./asset-view.ts";

const words = texts.asset;

/** Said of an address that holds no asset id. */
export function MalformedId({ digits }: { digits: number }) {
  return (
    <Page title={words.malformed}>
      <Notice tone="warn">{words.malformedHint(digits)}</Notice>
      <p>
        <Link to="/">{words.searchInstead}</Link>
      </p>
    </Page>
  );
}

/** Said of an id that no asset of the chain has: what may be the reason, and how to get further. */
export function UnknownAsset({ id }: { id: string }) {
  return (
    <Page title={words.unknown} lead={<HexValue value={id} label={words.fields.id} />}>
      <div role="status">
        <Notice tone="warn" title={words.unknownTitle}>
          <ul className={style.reasons}>
            {words.unknownReasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </Notice>
      </div>
      <p>{words.watching}</p>
      <p>
        <Link to="/">{words.searchInstead}</Link>
      </p>
      <Panel title={words.ask}>
        <p>{words.askHint}</p>
        <ApiKeyForm />
        <PendingAsset id={id} />
      </Panel>
    </Page>
  );
}

/** How far an asset is that is not on the chain, for the integrator who asked for it. */
function PendingAsset({ id }: { id: string }) {
  const key = useApiKey();
  const registry = useKeyedRegistry();
  const readAs = useMemo<ReadAs | undefined>(() => registry && ((read) => read(registry)), [registry]);
  const isLive = useEvents({ readAs, query: { assetId: id }, queryKey: ["asset status", id] });
  const { data, error } = useQuery({
    queryKey: ["asset status", id, key],
    queryFn: ({ signal }) => registry?.assetStatus(id, { signal }) ?? null,
    enabled: registry !== undefined,
    refetchInterval: isLive ? RARELY : 5_000,
    gcTime: 0,
  });
  if (registry === undefined) return null;
  if (error !== null) {
    return (
      <div role="alert">
        <Notice tone="warn">{isNotFound(error) ? words.notYours : problemInWords(error)}</Notice>
      </div>
    );
  }
  if (data == null) return null;
  return (
    <>
      <StateTimeline history={data.history} />
      {data.signUrl !== undefined && data.state === "Received" && (
        <p>
          <Link to={`/sign/${data.transactionId}`}>{words.toSign}</Link>
        </p>
      )}
    </>
  );
}
