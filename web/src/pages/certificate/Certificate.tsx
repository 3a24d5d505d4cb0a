import type { PublicAsset } from "asset-registry-client";
import { assetTexts, methodName, readStoredHash } from "asset-registry-proof";
import type { ReactNode } from "react";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { QrCode } from "../../parts/QrCode.tsx";
import { Time } from "../../parts/Time.tsx";
import { useSettings } from "../../service/settings.ts";
import { texts } from "../../texts/texts.ts";
import style from "./Certificate.module.css";
import { printedTexts } from "./shorten.ts";

const words = texts.certificate;
const { fields } = texts.asset;

/** What an asset's id is the digest of, as EIP-712 writes it. */
const idType = `Asset(address author,bytes32 salt,${assetTexts.map((name) => `string ${name}`).join(",")})`;

/** Everything by which a registration is checked without this service, on one page. */
export function Certificate({ asset }: { asset: PublicAsset }) {
  const { publicUrl, chain } = useSettings();
  const printed = printedTexts(asset);
  const read = readStoredHash(asset);
  const page = `${publicUrl}/console/assets/${asset.id}`;
  const chainName = `${chain.name} (${asset.chainId})`;
  const isShortened = printed.some(({ isWhole }) => !isWhole) || asset.truncated !== undefined;
  return (
    <article className={style.sheet} aria-label={words.heading}>
      <header className={style.head}>
        <div>
          <p className={style.product}>{texts.shell.product}</p>
          <h2 className={style.title}>{words.heading}</h2>
          <p>
            {words.registeredBefore} <Time at={asset.createdOn} /> {words.registeredAfter}
          </p>
          {!asset.final && <p className={style.warning}>{words.notFinal}</p>}
        </div>
        <figure className={style.qr}>
          <QrCode value={page} label={words.qr} size={132} />
          <figcaption>{words.scan}</figcaption>
        </figure>
      </header>
      <dl className={style.facts}>
        {printed.map(({ field, text, isWhole }) => (
          <Row key={field} name={fields[field]}>
            <ForeignText text={text} brief />
            {!isWhole && <em>{words.shortened}</em>}
          </Row>
        ))}
      </dl>
      <dl className={style.facts}>
        <Row name={fields.id}>
          <code>{asset.id}</code>
        </Row>
        <Row name={fields.author}>
          <code>{asset.author}</code>
        </Row>
        <Row name={fields.salt}>
          <code>{asset.salt}</code>
        </Row>
        <Row name={fields.chain}>{chainName}</Row>
        <Row name={fields.registry}>
          <code>{asset.registry}</code>
        </Row>
        <Row name={fields.block}>
          {asset.blockNumber} <code>{asset.blockHash}</code>
        </Row>
        <Row name={fields.transaction}>
          <code>{asset.transactionHash}</code> ({words.position(asset.logIndex)})
        </Row>
      </dl>
      <section className={style.steps}>
        <h3>{words.howTo}</h3>
        <ol>
          {words
            .steps(
              typeof read === "string" ? undefined : methodName(read.method),
              asset.registry,
              chainName,
              idType,
            )
            .map((step) => (
              <li key={step}>{step}</li>
            ))}
        </ol>
        <p>{words.limits}</p>
        {isShortened && <p>{words.shortenedHint}</p>}
        {asset.inexact !== undefined && <p>{words.inexact}</p>}
      </section>
      <footer className={style.foot}>
        {page} · {words.asOf(asset.blockNumber + asset.confirmations - 1)}
      </footer>
    </article>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={style.row}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
