import type { ReactNode } from "react";
import { Button } from "../parts/Button.tsx";
import { Notice } from "../parts/Notice.tsx";
import { problemInWords } from "../service/problem-words.ts";
import type { Listing } from "../service/useListing.ts";
import { texts } from "../texts/texts.ts";
import { AssetCard } from "./AssetCard.tsx";
import style from "./AssetListing.module.css";
import type { Found } from "./find.ts";
import { type Ask, nameOfAsk } from "./understand.ts";

const words = texts.search;

type AssetListingProps = {
  listing: Listing<Found>;
  /** Shown where there is nothing. */
  none: ReactNode;
  /** Says how many there are. */
  isCounted?: boolean;
  /** Says of each why it was found. */
  isExplained?: boolean;
  actions?: (found: Found) => ReactNode;
};

/** Assets that were found, with a button that reads on. */
export function AssetListing({
  listing,
  none,
  isCounted = false,
  isExplained = false,
  actions,
}: AssetListingProps) {
  const { entries, state, error, more } = listing;
  return (
    <div className={style.listing}>
      <div role="status" className={style.status}>
        {state === "loading" && entries.length === 0 && <p className={style.loading}>{words.loading}</p>}
        {state === "end" && entries.length === 0 && none}
        {isCounted && entries.length > 0 && state !== "loading" && (
          <p>{words.found(entries.length, state === "end")}</p>
        )}
      </div>
      {entries.length > 0 && (
        <ul className={style.list}>
          {entries.map((found) => (
            <li key={found.asset.id}>
              <AssetCard
                asset={found.asset}
                note={isExplained ? whyFound(found.ask) : undefined}
                actions={actions?.(found)}
              />
            </li>
          ))}
        </ul>
      )}
      {state === "failed" && (
        <div role="alert">
          <Notice tone="warn">{problemInWords(error)}</Notice>
        </div>
      )}
      {(state === "more" || state === "failed" || (state === "loading" && entries.length > 0)) && (
        <p>
          <Button onPress={more} isBusy={state === "loading"}>
            {state === "failed" ? words.again : words.more}
          </Button>
        </p>
      )}
    </div>
  );
}

const whyFound = (ask: Ask): string =>
  ask.by === "hash" ? words.why.hash(nameOfAsk(ask)) : words.why[ask.by];
