import type { PublicAsset } from "asset-registry-client";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { ForeignText } from "../parts/ForeignText.tsx";
import { shortHex } from "../parts/HexValue.tsx";
import { Time } from "../parts/Time.tsx";
import { texts } from "../texts/texts.ts";
import style from "./AssetCard.module.css";

const words = texts.search;

/** An asset in a list, with its name as the link to its page; `note` says why it is there, `actions` what can be done. */
export function AssetCard({
  asset,
  note,
  actions,
}: {
  asset: PublicAsset;
  note?: ReactNode;
  actions?: ReactNode;
}) {
  const { id, name, author, createdOn, final } = asset;
  return (
    <article className={style.card}>
      <h3 className={style.name}>
        <Link to={`/assets/${id}`}>
          {name.trim() === "" ? words.unnamed : <ForeignText text={name} most={120} brief />}
        </Link>
      </h3>
      <p className={style.side}>
        <span className={final ? style.final : style.open}>{final ? words.final : words.notFinal}</span>
        {actions}
      </p>
      <p className={style.facts}>
        <span>
          {words.registered} <Time at={createdOn} />
        </span>
        <span>
          {words.author} <code title={author}>{shortHex(author)}</code>
        </span>
        <span>
          <code title={id}>{shortHex(id)}</code>
        </span>
        {note !== undefined && <span>{note}</span>}
      </p>
    </article>
  );
}
