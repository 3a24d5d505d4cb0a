import type { PublicAsset } from "asset-registry-client";
import { type HashVerdict, methodName, readStoredHash, weaknessOf } from "asset-registry-proof";
import type { ReactNode } from "react";
import { sizeInWords } from "../../../file/size.ts";
import { type Fact, FactList } from "../../../parts/FactList.tsx";
import { ForeignText } from "../../../parts/ForeignText.tsx";
import { Notice } from "../../../parts/Notice.tsx";
import { Panel } from "../../../parts/Panel.tsx";
import { texts } from "../../../texts/texts.ts";
import style from "./Facts.module.css";
import { WebLink } from "./WebLink.tsx";

const words = texts.asset;
const { fields } = words;

/** The texts of an asset as its author wrote them; those that it does not have are left out. */
export function Registered({ asset }: { asset: PublicAsset }) {
  const { name, data, fileName, fileType, fileSize, uri } = asset;
  const facts: (Fact | false)[] = [
    { name: fields.name, value: <ForeignText text={name} most={300} /> },
    data !== "" && { name: fields.data, value: <ForeignText text={data} block /> },
    fileName !== "" && { name: fields.fileName, value: <ForeignText text={fileName} most={300} /> },
    fileType !== "" && { name: fields.fileType, value: <ForeignText text={fileType} most={300} /> },
    fileSize !== "" && { name: fields.fileSize, value: <FileSize digits={fileSize} /> },
    asset.method !== "" && { name: fields.method, value: <ForeignText text={asset.method} most={300} /> },
    asset.hash !== "" && { name: fields.hash, value: <ForeignText text={asset.hash} most={300} /> },
    uri !== "" && { name: fields.uri, value: <WebLink uri={uri} /> },
  ];
  return (
    <Panel title={words.registered}>
      <FactList facts={facts.filter((fact) => fact !== false)} />
      <FileWords asset={asset} />
      {asset.inexact !== undefined && (
        <Notice tone="warn" title={words.inexact(namesOf(asset.inexact))}>
          {words.inexactHint}
        </Notice>
      )}
      {asset.truncated !== undefined && (
        <Notice tone="warn" title={words.truncated(namesOf(asset.truncated))}>
          {words.truncatedHint}
        </Notice>
      )}
    </Panel>
  );
}

const namesOf = (names: readonly (keyof typeof fields)[]): string =>
  names.map((name) => fields[name]).join(", ");

function FileSize({ digits }: { digits: string }) {
  // Below a thousand the words would say the same number again.
  const isLong = /^[1-9]\d{3,14}$/.test(digits);
  return (
    <>
      <ForeignText text={digits} most={100} />
      {isLong && <span className={style.quiet}> ({sizeInWords(Number(digits))})</span>}
    </>
  );
}

/** Whether a file can be compared with what was registered, and how good that comparison is. */
function FileWords({ asset }: { asset: PublicAsset }): ReactNode {
  const read = readStoredHash(asset);
  if (typeof read === "string")
    return <p className={style.quiet}>{words.noComparison[read satisfies HashVerdict]}</p>;
  const weakness = weaknessOf(read.method);
  if (weakness === undefined)
    return <p className={style.quiet}>{words.comparable(methodName(read.method))}</p>;
  return <Notice tone="warn">{weakness}</Notice>;
}
