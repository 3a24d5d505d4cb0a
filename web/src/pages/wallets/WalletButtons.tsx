import { Button } from "../../parts/Button.tsx";
import { shortHex } from "../../parts/HexValue.tsx";
import { texts } from "../../texts/texts.ts";
import type { useWallet } from "../../wallet/use-wallet.ts";
import { WalletName } from "../../wallet/WalletName.tsx";
import style from "./WalletButtons.module.css";

const words = texts.wallets.connect;

type WalletButtonsProps = {
  wallet: ReturnType<typeof useWallet>;
  isBusy: boolean;
  onChoose(id: string): void;
};

/** A button for each wallet of the browser to connect, or for the one that shares its account already. */
export function WalletButtons({ wallet, isBusy, onChoose }: WalletButtonsProps) {
  const { choices, connected, isLooking } = wallet;
  if (isLooking) return <p>{texts.sign.act.looking}</p>;
  const shown = connected === undefined ? choices : [connected];
  return (
    <div className={style.buttons}>
      {connected !== undefined && (
        <p className={style.account}>
          <span>
            {words.selected}{" "}
            <code title={connected.accounts[0]}>{shortHex(connected.accounts[0] ?? "")}</code>
          </span>
          <button type="button" className={style.other} disabled={isBusy} onClick={() => wallet.disconnect()}>
            {texts.wallet.another}
          </button>
        </p>
      )}
      {shown.map((choice) => (
        <Button
          key={choice.id}
          kind="primary"
          // It keeps the focus of whoever pressed it; what goes on is said beside it.
          aria-disabled={isBusy}
          onPress={() => onChoose(choice.id)}
        >
          {words.button} <WalletName wallet={choice} />
        </Button>
      ))}
    </div>
  );
}
