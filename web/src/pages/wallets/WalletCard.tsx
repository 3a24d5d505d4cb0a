import type { Wallet } from "asset-registry-client";
import type { AsMe } from "../../identity/use-my-registry.ts";
import { explorerLink } from "../../parts/explorer-link.ts";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { HexValue } from "../../parts/HexValue.tsx";
import { useSettings } from "../../service/settings.ts";
import { texts } from "../../texts/texts.ts";
import { RemoveDialog } from "./RemoveDialog.tsx";
import style from "./WalletCard.module.css";

const words = texts.wallets;

type WalletCardProps = { wallet: Wallet; asMe: AsMe; onRemoved(): void };

/** A connected wallet, with what removes it. */
export function WalletCard({ wallet, asMe, onRemoved }: WalletCardProps) {
  const { name, description, ethereumAddress } = wallet;
  const href = explorerLink(useSettings().chain.explorerUrl, "address", ethereumAddress);
  return (
    <article className={style.card}>
      <h3 className={style.name}>
        {name.trim() === "" ? words.unnamed : <ForeignText text={name} most={256} brief />}
      </h3>
      <div className={style.action}>
        <RemoveDialog wallet={wallet} asMe={asMe} onRemoved={onRemoved} />
      </div>
      {description.trim() !== "" && (
        <p className={style.description}>
          <ForeignText text={description} most={256} />
        </p>
      )}
      <p className={style.address}>
        <HexValue value={ethereumAddress} label={words.address} />
        {href !== undefined && (
          <a href={href} target="_blank" rel="noopener noreferrer">
            {texts.parts.inExplorer}
          </a>
        )}
      </p>
    </article>
  );
}
