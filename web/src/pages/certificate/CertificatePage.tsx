import type { PublicAsset } from "asset-registry-client";
import { Link, useParams } from "react-router";
import { Button } from "../../parts/Button.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { problemInWords } from "../../service/problem-words.ts";
import { Loading } from "../../shell/Loading.tsx";
import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";
import { readAssetId } from "../asset/asset-id.ts";
import { MalformedId, UnknownAsset } from "../asset/NotShown.tsx";
import { useAsset } from "../asset/useAsset.ts";
import style from "./Certificate.module.css";
import { Certificate } from "./Certificate.tsx";

const words = texts.certificate;

/** The certificate of an asset: one page of paper, black on white in dark colours too. */
export function CertificatePage() {
  const read = readAssetId(useParams()["assetId"] ?? "");
  if ("digits" in read) return <MalformedId digits={read.digits} />;
  return <CertificateById key={read.id} id={read.id} />;
}

function CertificateById({ id }: { id: string }) {
  const view = useAsset(id);
  if (view.state === "unknown") return <UnknownAsset id={id} />;
  return (
    <Page title={words.title} lead={words.lead} wide isScreenTitle>
      {view.state === "loading" && <Loading />}
      {view.state === "failed" && (
        <div role="alert">
          <Notice tone="warn">{problemInWords(view.error)}</Notice>
        </div>
      )}
      {view.state === "removed" && (
        <Notice tone="bad" title={texts.asset.removed}>
          {texts.asset.removedHint}
        </Notice>
      )}
      {(view.state === "shown" || view.state === "stale") && <Sheet asset={view.asset} />}
    </Page>
  );
}

function Sheet({ asset }: { asset: PublicAsset }) {
  return (
    <>
      <div className={style.controls}>
        {!asset.final && <Notice tone="warn">{words.notFinal}</Notice>}
        <p className={style.ways}>
          <Button kind="primary" onPress={() => window.print()}>
            {words.print}
          </Button>
          <Link to={`/assets/${asset.id}`}>{words.back}</Link>
        </p>
      </div>
      <Certificate asset={asset} />
    </>
  );
}
