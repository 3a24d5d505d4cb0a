import type { PublicAsset } from "asset-registry-client";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { readableName } from "../../parts/foreign-text.ts";
import { HexValue } from "../../parts/HexValue.tsx";
import { StateBadge } from "../../parts/StateBadge.tsx";
import { Time } from "../../parts/Time.tsx";
import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";
import style from "./Asset.module.css";
import { ChangeLinks } from "./change/ChangeLinks.tsx";
import { ContentCheck } from "./facts/ContentCheck.tsx";
import { Registered } from "./facts/Registered.tsx";
import { Registration } from "./facts/Registration.tsx";
import { AssetLinks } from "./links/AssetLinks.tsx";
import { useLinks } from "./links/useLinks.ts";
import { useNames } from "./links/useNames.ts";
import { ProofPanel } from "./proof/ProofPanel.tsx";

const words = texts.asset;

/** The whole page of an asset; what is said above it all are the children. */
export function AssetDetails({ asset, children }: { asset: PublicAsset; children?: ReactNode }) {
  const { id, name, author, createdOn, final } = asset;
  const isNamed = name.trim() !== "";
  const links = useLinks(id);
  const names = useNames(
    id,
    links.revoked.map(({ id }) => id),
  );
  return (
    <Page
      wide
      title={isNamed ? readableName(name) : words.unnamed}
      heading={isNamed ? <ForeignText text={name} most={160} brief /> : words.unnamed}
      lead={
        <span className={style.lead}>
          <StateBadge state={final ? "Confirmed" : "Committed"} />
          <span>
            {words.registeredOn} <Time at={createdOn} />
          </span>
          <span>
            {words.by} <HexValue value={author} label={words.fields.author} short />
          </span>
        </span>
      }
    >
      {children}
      <p className={style.ways}>
        {/* Its policy differs: the document is loaded anew. */}
        <a href={`/console/verify?asset=${id}`}>{words.verify}</a>
        <Link to={`/assets/${id}/certificate`}>{words.certificate}</Link>
        <a href="#proof">{words.toProof}</a>
        <a href="#links">{words.toLinks}</a>
      </p>
      <div className={style.columns}>
        <div className={style.column}>
          <Registered asset={asset} />
          <ContentCheck asset={asset} />
        </div>
        <div className={style.column}>
          <Registration asset={asset} />
        </div>
      </div>
      <AssetLinks asset={asset} links={links} names={names} />
      <ProofPanel asset={asset} links={links} names={names} />
      <ChangeLinks asset={asset} links={links} />
    </Page>
  );
}
