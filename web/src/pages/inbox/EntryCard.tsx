import type { InboxEntry } from "asset-registry-client";
import { Link } from "react-router";
import { ButtonLink } from "../../parts/ButtonLink.tsx";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { shortHex } from "../../parts/HexValue.tsx";
import { StateBadge } from "../../parts/StateBadge.tsx";
import { Time } from "../../parts/Time.tsx";
import { texts } from "../../texts/texts.ts";
import style from "./EntryCard.module.css";
import { noteOf } from "./note.ts";
import { shortenHex } from "./shorten-hex.ts";

const words = texts.inbox;

/** A request: what it does, who asks, until when or since when, and the way to answer it. */
export function EntryCard({ entry }: { entry: InboxEntry }) {
  const { id, kind, assetId, assetName, summary, requestedBy, signer, state, createdAt, expiresAt } = entry;
  const isOpen = state === "Received";
  const note = noteOf(entry);
  const title = `entry-${id}`;
  return (
    <article className={style.card} aria-labelledby={title}>
      <h3 id={title}>
        {words.kinds[kind]}
        {assetName !== null && (
          <>
            : <ForeignText text={assetName} most={120} brief />
          </>
        )}
      </h3>
      <p className={style.state}>
        <StateBadge state={state} />
      </p>
      {kind !== "create" && (
        <div className={style.summary}>
          <ForeignText text={shortenHex(summary)} most={400} />
        </div>
      )}
      {kind === "create" && isOpen && <p className={style.summary}>{words.becomesPublic}</p>}
      {note !== undefined && <p className={style.note}>{note}</p>}
      <p className={style.facts}>
        <span>
          {words.askedBy} <ForeignText text={requestedBy} most={60} brief />
        </span>
        <span>
          {words.account} <code title={signer}>{shortHex(signer)}</code>
        </span>
        <span>
          {isOpen ? words.until : words.askedOn} <Time at={isOpen ? expiresAt : createdAt} />
        </span>
      </p>
      <p className={style.actions}>
        {isOpen ? (
          <ButtonLink to={`/sign/${id}`} kind="primary" aria-describedby={title}>
            {words.answer}
          </ButtonLink>
        ) : (
          <Link to={`/sign/${id}`} aria-describedby={title}>
            {words.look}
          </Link>
        )}
        {(state === "Committed" || state === "Confirmed") && (
          <Link to={`/assets/${assetId}`} aria-describedby={title}>
            {words.asset}
          </Link>
        )}
      </p>
    </article>
  );
}
