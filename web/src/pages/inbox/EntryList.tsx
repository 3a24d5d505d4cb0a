import type { ReactNode } from "react";
import type { AsMe } from "../../identity/use-my-registry.ts";
import { Button } from "../../parts/Button.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { Rows } from "../../parts/panel/Rows.tsx";
import { StatusLine } from "../../parts/panel/StatusLine.tsx";
import { problemInWords } from "../../service/problem-words.ts";
import { texts } from "../../texts/texts.ts";
import { EntryCard } from "./EntryCard.tsx";
import type { Which } from "./entries.ts";
import { useEntries } from "./use-entries.ts";

const words = texts.inbox;

type EntryListProps = {
  asMe: AsMe;
  which: Which;
  /** Whether changes are told as they happen. */
  isLive: boolean;
  title: string;
  /** Says how many there are, also to those who do not look. */
  count?: (many: number, hasMore: boolean) => string;
  /** Shown where there is nothing. */
  none: ReactNode;
};

/** Requests of a kind, kept up to date, with a button that shows more. */
export function EntryList({ asMe, which, isLive, title, count, none }: EntryListProps) {
  const { entries, hasMore, error, isReading, isReadingOn, more, again } = useEntries(asMe, which, isLive);
  return (
    <Panel title={title}>
      <StatusLine>
        {entries === undefined && error === null && texts.parts.loading}
        {entries !== undefined && entries.length > 0 && count?.(entries.length, hasMore)}
      </StatusLine>
      {error !== null && (
        <div role="alert">
          <Notice tone="warn" title={problemInWords(error)}>
            {entries === undefined ? (
              <Button onPress={again} isBusy={isReading}>
                {texts.search.again}
              </Button>
            ) : (
              words.asBefore
            )}
          </Notice>
        </div>
      )}
      {entries?.length === 0 && !hasMore && none}
      {entries !== undefined && entries.length > 0 && (
        <Rows>
          {entries.map((entry) => (
            <li key={entry.id}>
              <EntryCard entry={entry} />
            </li>
          ))}
        </Rows>
      )}
      {hasMore && (
        <p>
          <Button onPress={more} isBusy={isReadingOn}>
            {words.more}
          </Button>
        </p>
      )}
    </Panel>
  );
}
