import type { Asset } from "asset-registry-client";
import { useEffect, useRef } from "react";
import { Button } from "../../parts/Button.tsx";
import { CopyButton } from "../../parts/CopyButton.tsx";
import { FactList } from "../../parts/FactList.tsx";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { HexValue } from "../../parts/HexValue.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { QrCode } from "../../parts/QrCode.tsx";
import { texts } from "../../texts/texts.ts";
import style from "./register.module.css";

const words = texts.register.done;

type RegisteredProps = { asset: Asset; onAnother(): void };

/** The link to the page where the author signs what was asked for. */
export function Registered({ asset, onAnother }: RegisteredProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []);
  const link = asset.signUrl ?? `${location.origin}/console/sign/${asset.transactionId}`;
  return (
    <div ref={place} tabIndex={-1} className={style.place}>
      <Panel title={words.title}>
        <p>{words.meaning}</p>
        <div className={style.done}>
          <QrCode value={link} label={words.qr} />
          <FactList
            facts={[
              {
                name: words.link,
                value: (
                  <span className={style.actions}>
                    <code>{link}</code> <CopyButton value={link} label={words.link} />
                  </span>
                ),
              },
              { name: words.name, value: <ForeignText text={asset.name} most={200} /> },
              { name: words.author, value: <HexValue value={asset.author} label={words.author} /> },
              { name: words.asset, value: <HexValue value={asset.id} label={words.asset} /> },
            ]}
          />
        </div>
        <p className={style.actions}>
          <a className={style.open} href={link}>
            {words.open}
          </a>
          <Button onPress={onAnother}>{words.another}</Button>
        </p>
      </Panel>
    </div>
  );
}
