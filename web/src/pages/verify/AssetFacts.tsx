import type { PublicAsset } from "asset-registry-client";
import { FactList } from "../../parts/FactList.tsx";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { HexValue } from "../../parts/HexValue.tsx";
import { StateBadge } from "../../parts/StateBadge.tsx";
import { Time } from "../../parts/Time.tsx";
import { useSettings } from "../../service/settings.ts";
import { texts } from "../../texts/texts.ts";

const words = texts.verify.facts;

/** Who registered an asset when and where, as the service says. */
export function AssetFacts({ asset }: { asset: PublicAsset }) {
  const { chain } = useSettings();
  const { id, name, author, createdOn, chainId, registry, blockNumber, transactionHash, final } = asset;
  return (
    <FactList
      facts={[
        { name: words.name, value: <ForeignText text={name} most={200} /> },
        { name: words.author, value: <HexValue value={author} label={words.author} /> },
        { name: words.createdOn, value: <Time at={createdOn} /> },
        { name: words.state, value: <StateBadge state={final ? "Confirmed" : "Committed"} /> },
        { name: words.asset, value: <AssetLink id={id} /> },
        { name: words.chain, value: chainId === chain.id ? `${chain.name} (${chainId})` : `${chainId}` },
        { name: words.registry, value: <HexValue value={registry} label={words.registry} /> },
        { name: words.block, value: String(blockNumber) },
        { name: words.transaction, value: <HexValue value={transactionHash} label={words.transaction} /> },
      ]}
    />
  );
}

/** The page of an asset; its policy is stricter than this page's, so the document is loaded anew. */
export function AssetLink({ id }: { id: string }) {
  return (
    <a href={`/console/assets/${id}`}>
      <code>{id}</code>
    </a>
  );
}
