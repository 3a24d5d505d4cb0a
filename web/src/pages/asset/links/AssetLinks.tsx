import type { PublicAsset } from "asset-registry-client";
import { lazy, Suspense } from "react";
import { Button } from "../../../parts/Button.tsx";
import { Notice } from "../../../parts/Notice.tsx";
import { Panel } from "../../../parts/Panel.tsx";
import { problemInWords } from "../../../service/problem-words.ts";
import { texts } from "../../../texts/texts.ts";
import { RevokeButton } from "../change/RevokeButton.tsx";
import { LinkList } from "./LinkList.tsx";
import style from "./Links.module.css";
import type { Names } from "./neighbours.ts";
import type { Links } from "./useLinks.ts";

const words = texts.asset.links;

// The library that draws it is large.
const LinkGraph = lazy(async () => ({ default: (await import("../graph/LinkGraph.tsx")).LinkGraph }));

/** What an asset links to and what links to it: as a graph to walk, and as lists; revoked links as history. */
export function AssetLinks({ asset, links, names }: { asset: PublicAsset; links: Links; names: Names }) {
  const { to, from, revoked, state, error, more } = links;
  const isCut = state !== "end";
  const isEmpty = state === "end" && to.length + from.length + revoked.length === 0;
  return (
    <div id="links">
      <Panel title={words.title}>
        {isEmpty && <p>{words.none}</p>}
        {to.length + from.length > 0 && (
          <Suspense fallback={<p className={style.loading}>{texts.parts.loading}</p>}>
            <LinkGraph asset={asset} />
          </Suspense>
        )}
        <LinkList
          title={words.to}
          rows={to}
          names={names}
          isCut={isCut}
          actions={(row) => <RevokeButton parent={asset.id} child={row.id} name={names.get(row.id)} />}
        />
        <LinkList title={words.from} rows={from} names={names} isCut={isCut} />
        <LinkList title={words.history} rows={revoked} names={names} isCut={isCut} />
        {state === "failed" && (
          <div role="alert">
            <Notice tone="warn">{problemInWords(error)}</Notice>
          </div>
        )}
        {(state === "more" || state === "failed") && (
          <p>
            <Button onPress={more}>{state === "failed" ? texts.search.again : words.readMore}</Button>
          </p>
        )}
      </Panel>
    </div>
  );
}
