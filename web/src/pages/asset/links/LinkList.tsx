import { type ReactNode, useState } from "react";
import { Button } from "../../../parts/Button.tsx";
import { Time } from "../../../parts/Time.tsx";
import { texts } from "../../../texts/texts.ts";
import { AssetName } from "./AssetName.tsx";
import style from "./Links.module.css";
import type { LinkRow } from "./link-rows.ts";
import type { Names } from "./neighbours.ts";

const words = texts.asset.links;

/** Rows that are shown at first, and that each press adds. */
const STEP = 20;

type LinkListProps = {
  title: string;
  rows: readonly LinkRow[];
  names: Names;
  /** Whether there are more behind those that were read. */
  isCut: boolean;
  actions?: (row: LinkRow) => ReactNode;
};

/** Links under a heading, some at a time. */
export function LinkList({ title, rows, names, isCut, actions }: LinkListProps) {
  const [shown, setShown] = useState(STEP);
  if (rows.length === 0) return null;
  return (
    <section className={style.group} aria-label={title}>
      <h3>
        {title} <span className={style.count}>{words.count(rows.length, isCut)}</span>
      </h3>
      <ul className={style.rows}>
        {rows.slice(0, shown).map((row) => (
          <li key={`${row.direction} ${row.id} ${row.addedOn} ${row.revokedOn ?? ""}`} className={style.row}>
            <span className={style.what}>
              {row.revokedOn !== undefined && <span>{words.was[row.direction]}</span>}
              <AssetName id={row.id} name={names.get(row.id)} />
            </span>
            <span className={style.when}>
              {words.added} <Time at={row.addedOn} />
              {row.revokedOn !== undefined && (
                <>
                  , {words.revoked} <Time at={row.revokedOn} />
                </>
              )}
              {!row.final && ` · ${words.notFinal}`}
            </span>
            {actions?.(row)}
          </li>
        ))}
      </ul>
      {rows.length > shown && (
        <p>
          <Button onPress={() => setShown(shown + 5 * STEP)}>{words.moreOf(rows.length - shown)}</Button>
        </p>
      )}
    </section>
  );
}
