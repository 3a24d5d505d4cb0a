import type { PublicAsset } from "asset-registry-client";
import { methodName } from "asset-registry-proof";
import { HashingProgress } from "../../file/HashingProgress.tsx";
import { sizeInWords } from "../../file/size.ts";
import type { useDigests } from "../../file/useDigests.ts";
import { Button } from "../../parts/Button.tsx";
import { type Fact, FactList } from "../../parts/FactList.tsx";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { HexValue } from "../../parts/HexValue.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { texts } from "../../texts/texts.ts";
import { AssetLink } from "./AssetFacts.tsx";
import type { Question } from "./question.ts";
import style from "./verify.module.css";

const words = texts.verify.chosen;

type ChosenProps = {
  question: Question;
  asset: PublicAsset | undefined;
  hashing: ReturnType<typeof useDigests>;
  onChange(question: Question): void;
};

/** What is checked against what, with the progress of hashing and the hashes once they are there. */
export function Chosen({ question, asset, hashing, onChange }: ChosenProps) {
  const { file, document, written } = question;
  const { digests, bytes, problem } = hashing;
  const { file: _file, ...withoutFile } = question;
  const facts: Fact[] = [];
  if (file !== undefined) {
    const size = words.size(sizeInWords(file.size), file.size);
    facts.push({
      name: words.file,
      value: (
        <>
          <ForeignText text={file.name} most={200} /> · {size}
        </>
      ),
    });
  }
  if (document !== undefined)
    facts.push({ name: words.proof, value: <ForeignText text={document.name} most={200} /> });
  if (asset !== undefined)
    facts.push({
      name: words.asset,
      value: (
        <>
          <ForeignText text={asset.name} most={200} /> <AssetLink id={asset.id} />
        </>
      ),
    });
  else if (written?.assetId !== undefined && document === undefined)
    facts.push({ name: words.written, value: <code>{written.assetId}</code> });
  else if (written !== undefined && document === undefined && file === undefined)
    facts.push({ name: words.hash, value: <code>{[...written.digests.values()][0]}</code> });
  if (file === undefined && (document !== undefined || asset !== undefined))
    facts.push({ name: words.file, value: words.noFile });
  return (
    <Panel title={words.title} actions={<Button onPress={() => onChange({})}>{words.startAnew}</Button>}>
      <FactList facts={facts} />
      {file?.size === 0 && <p className={style.soft}>{words.empty}</p>}
      {file !== undefined && digests === undefined && problem === undefined && (
        <HashingProgress file={file} bytes={bytes} onCancel={() => onChange(withoutFile)} />
      )}
      {file !== undefined && digests !== undefined && digests.size > 0 && (
        <details className={style.digests}>
          <summary>{words.hashes}</summary>
          <FactList
            facts={[...digests].map(([method, digest]) => ({
              name: methodName(method),
              value: <HexValue value={digest} label={methodName(method)} />,
            }))}
          />
        </details>
      )}
    </Panel>
  );
}
