import { useParams } from "react-router";
import { Notice } from "../../parts/Notice.tsx";
import { problemInWords } from "../../service/problem-words.ts";
import { Loading } from "../../shell/Loading.tsx";
import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";
import { AssetDetails } from "./AssetDetails.tsx";
import { readAssetId } from "./asset-id.ts";
import { MalformedId, UnknownAsset } from "./NotShown.tsx";
import { useAsset } from "./useAsset.ts";

const words = texts.asset;

/** One asset: what was registered, by whom and when, how its content is checked, and its links. */
export function AssetPage() {
  const read = readAssetId(useParams()["assetId"] ?? "");
  if ("digits" in read) return <MalformedId digits={read.digits} />;
  return <AssetById key={read.id} id={read.id} />;
}

function AssetById({ id }: { id: string }) {
  const view = useAsset(id);
  switch (view.state) {
    case "loading":
      return (
        <Page title={words.title} wide>
          <Loading />
        </Page>
      );
    case "failed":
      return (
        <Page title={words.title}>
          <div role="alert">
            <Notice tone="warn" title={words.failed}>
              {problemInWords(view.error)} {words.again}
            </Notice>
          </div>
        </Page>
      );
    case "unknown":
      return <UnknownAsset id={id} />;
    case "shown":
      return <AssetDetails asset={view.asset} />;
    case "removed":
      return (
        <AssetDetails asset={view.asset}>
          <div role="alert">
            <Notice tone="bad" title={words.removed}>
              {words.removedHint}
            </Notice>
          </div>
        </AssetDetails>
      );
    case "stale":
      return (
        <AssetDetails asset={view.asset}>
          <div role="status">
            <Notice tone="warn">
              {words.stale} {problemInWords(view.error)}
            </Notice>
          </div>
        </AssetDetails>
      );
  }
}
