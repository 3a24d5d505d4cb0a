import type { PublicAsset } from "asset-registry-client";
import { Link } from "react-router";
import { explorerLink } from "../../../parts/explorer-link.ts";
import { FactList } from "../../../parts/FactList.tsx";
import { HexValue } from "../../../parts/HexValue.tsx";
import { Panel } from "../../../parts/Panel.tsx";
import { StateTimeline } from "../../../parts/StateTimeline.tsx";
import { Time } from "../../../parts/Time.tsx";
import { TransactionHash } from "../../../parts/TransactionHash.tsx";
import { useSettings } from "../../../service/settings.ts";
import { texts } from "../../../texts/texts.ts";
import { useHistory } from "./useHistory.ts";

const words = texts.asset;
const { fields } = words;

/** Who registered an asset, when, and where on the chain it stands. */
export function Registration({ asset }: { asset: PublicAsset }) {
  const { chain, confirmations: required } = useSettings();
  const history = useHistory(asset);
  const { author, createdOn, blockNumber, blockHash, confirmations, final } = asset;
  const authorPage = explorerLink(chain.explorerUrl, "address", author);
  return (
    <Panel title={words.registration}>
      <StateTimeline
        history={history}
        now={final ? undefined : words.confirmations(confirmations, required)}
      />
      <FactList
        facts={[
          {
            name: fields.author,
            value: (
              <>
                <HexValue value={author} label={fields.author} />{" "}
                <Link to={`/?q=${author}`}>{words.allOfAuthor}</Link>
                {authorPage !== undefined && (
                  <>
                    {" · "}
                    <a href={authorPage} target="_blank" rel="noopener noreferrer">
                      {texts.parts.inExplorer}
                    </a>
                  </>
                )}
              </>
            ),
          },
          { name: fields.createdOn, value: <Time at={createdOn} /> },
          { name: fields.transaction, value: <TransactionHash hash={asset.transactionHash} /> },
          {
            name: fields.block,
            value: (
              <>
                {blockNumber} <HexValue value={blockHash} label={fields.blockHash} short />
              </>
            ),
          },
          { name: fields.confirmations, value: words.confirmed(confirmations, final) },
          { name: fields.chain, value: `${chain.name} (${asset.chainId})` },
          { name: fields.registry, value: <HexValue value={asset.registry} label={fields.registry} short /> },
          { name: fields.salt, value: <HexValue value={asset.salt} label={fields.salt} short /> },
        ]}
      />
    </Panel>
  );
}
