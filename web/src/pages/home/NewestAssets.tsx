import { Notice } from "../../parts/Notice.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { AssetListing } from "../../search/AssetListing.tsx";
import { newest } from "../../search/find.ts";
import { registry } from "../../service/client.ts";
import { useIndexedBlock } from "../../service/status.ts";
import { useListing } from "../../service/useListing.ts";
import { texts } from "../../texts/texts.ts";

const words = texts.home;

/** Assets that are shown at once. */
const STEP = 10;

/** What was registered last. */
export function NewestAssets() {
  const listing = useListing("newest", (signal) => newest(registry, STEP, signal), {
    step: STEP,
    asOf: useIndexedBlock(),
  });
  return (
    <Panel title={words.newest}>
      <AssetListing
        listing={listing}
        none={<Notice title={words.newestNone}>{words.newestNoneHint}</Notice>}
      />
    </Panel>
  );
}
