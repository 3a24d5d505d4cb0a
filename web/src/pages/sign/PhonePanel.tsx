import { Button } from "../../parts/Button.tsx";
import { CopyButton } from "../../parts/CopyButton.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { QrCode } from "../../parts/QrCode.tsx";
import { texts } from "../../texts/texts.ts";
import style from "./PhonePanel.module.css";

const words = texts.sign.phone;

/** The link of this page for another device that has the wallet; open where this browser has none. */
export function PhonePanel({ url, hasWallet }: { url: string; hasWallet: boolean }) {
  return (
    <>
      {!hasWallet && <Notice title={words.noWallet.title}>{words.noWallet.next}</Notice>}
      <details className={style.phone} open={!hasWallet}>
        <summary>{words.title}</summary>
        <div className={style.content}>
          {hasWallet && <p>{words.how}</p>}
          <QrCode value={url} label={words.label} />
          <p className={style.link}>
            <a href={url}>{url}</a>
            <CopyButton value={url} label={words.link} />
          </p>
          {navigator.share !== undefined && (
            <Button onPress={() => void navigator.share({ url }).catch(() => undefined)}>
              {words.share}
            </Button>
          )}
          <p className={style.secret}>{words.secret}</p>
        </div>
      </details>
    </>
  );
}
