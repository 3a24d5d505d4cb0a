import { ForeignText } from "../parts/ForeignText.tsx";
import type { WalletChoice } from "./use-wallet.ts";
import style from "./WalletName.module.css";

/** A wallet's name beside its icon, both as it gives them. */
export function WalletName({ wallet: { name, icon, maker } }: { wallet: WalletChoice }) {
  return (
    <span className={style.wallet}>
      {icon !== undefined && <img className={style.icon} src={icon} alt="" width={24} height={24} />}
      <ForeignText text={name.slice(0, 60)} brief />
      {maker !== undefined && (
        <small>
          {" "}
          <ForeignText text={maker.slice(0, 60)} brief />
        </small>
      )}
    </span>
  );
}
