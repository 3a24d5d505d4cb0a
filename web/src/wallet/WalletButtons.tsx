import { Button } from "../parts/Button.tsx";
import { shortHex } from "../parts/HexValue.tsx";
import { texts } from "../texts/texts.ts";
import type { useWallet } from "./use-wallet.ts";
import style from "./WalletButtons.module.css";
import { WalletName } from "./WalletName.tsx";

type WalletButtonsProps = {
  wallet: ReturnType<typeof useWallet>;
  /** What a press does, before the wallet's name. */
  verb: string;
  kind?: "primary" | "danger";
  isBusy: boolean;
  onChoose(id: string): void;
  /** Words before the account that is connected; without them it is not shown. */
  account?: string | undefined;
};

/** A button for each wallet of the browser, or for the one that shares its account already. */
export function WalletButtons({
  wallet,
  verb,
  kind = "primary",
  isBusy,
  onChoose,
  account,
}: WalletButtonsProps) {
  const { choices, connected } = wallet;
  const shown = connected === undefined ? choices : [connected];
  return (
    <div className={style.buttons}>
      {shown.map((choice) => (
        <Button key={choice.id} kind={kind} isBusy={isBusy} onPress={() => onChoose(choice.id)}>
          {verb} <WalletName wallet={choice} />
        </Button>
      ))}
      {connected !== undefined && account !== undefined && (
        <p className={style.account}>
          <span>
            {account} <code title={connected.accounts[0]}>{shortHex(connected.accounts[0] ?? "")}</code>
          </span>
          <button type="button" className={style.other} disabled={isBusy} onClick={() => wallet.disconnect()}>
            {texts.wallet.another}
          </button>
        </p>
      )}
    </div>
  );
}
