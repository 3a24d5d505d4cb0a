import { useSettings } from "../service/settings.ts";
import { texts } from "../texts/texts.ts";
import { explorerLink } from "./explorer-link.ts";
import { HexValue } from "./HexValue.tsx";
import style from "./TransactionHash.module.css";

/** The hash of a transaction on the chain, with a link to the block explorer where the operator names one. */
export function TransactionHash({ hash }: { hash: string }) {
  const { explorerUrl } = useSettings().chain;
  const href = explorerLink(explorerUrl, "tx", hash);
  return (
    <span className={style.hash}>
      <HexValue value={hash} label={texts.parts.transactionHash} short />
      {href !== undefined && (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {texts.parts.inExplorer}
        </a>
      )}
    </span>
  );
}
