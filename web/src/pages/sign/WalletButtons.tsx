import { Button } from "../../parts/Button.tsx";
import { shortHex } from "../../parts/HexValue.tsx";
import { texts } from "../../texts/texts.ts";
import { WalletName } from "../../wallet/WalletName.tsx";
import type { Way } from "./rules/sign-request.ts";
import type { useSigning } from "./use-signing.ts";
import style from "./WalletButtons.module.css";

const words = texts.sign.act;

type WalletButtonsProps = { signing: ReturnType<typeof useSigning>; way: Way };

/** A button for each wallet of the browser to answer with, or for the one that is in use. */
export function WalletButtons({ signing: { wallet, doing, sign }, way }: WalletButtonsProps) {
  const { choices, connected } = wallet;
  const shown = connected === undefined ? choices : [connected];
  const verb = way === "refuse" ? words.refuseWith : words.signWith;
  return (
    <div className={style.buttons}>
      {shown.map((choice) => (
        <Button
          key={choice.id}
          kind={way === "refuse" ? "danger" : "primary"}
          // It keeps the focus of whoever pressed it; what goes on is said beside it.
          aria-disabled={doing !== undefined}
          onPress={() => sign(way, choice.id)}
        >
          {verb} <WalletName wallet={choice} />
        </Button>
      ))}
      {connected !== undefined && way !== "refuse" && (
        <p className={style.account}>
          <span>
            {words.connectedAccount}{" "}
            <code title={connected.accounts[0]}>{shortHex(connected.accounts[0] ?? "")}</code>
          </span>
          <button
            type="button"
            className={style.other}
            disabled={doing !== undefined}
            onClick={() => wallet.disconnect()}
          >
            {texts.wallet.another}
          </button>
        </p>
      )}
    </div>
  );
}
