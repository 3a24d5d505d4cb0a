import { Notice } from "../../parts/Notice.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { AssetListing } from "../../search/AssetListing.tsx";
import type { Ask } from "../../search/understand.ts";
import { useFound } from "../../search/useFound.ts";
import { texts } from "../../texts/texts.ts";

const words = texts.home;

/** What was found for the text of the search box. */
export function Results({ asks }: { asks: readonly Ask[] }) {
  const found = useFound(asks);
  return (
    <Panel title={words.results}>
      <AssetListing
        listing={found}
        isCounted
        isExplained
        none={<Notice title={texts.search.none}>{texts.search.noneHint}</Notice>}
      />
    </Panel>
  );
}
