import { useQuery } from "@tanstack/react-query";
import { methodName } from "asset-registry-proof";
import type { Digests } from "../../file/digests.ts";
import { Button } from "../../parts/Button.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { registry } from "../../service/client.ts";
import { findAssets } from "../../service/find-assets.ts";
import { problemInWords } from "../../service/problem-words.ts";
import { texts } from "../../texts/texts.ts";
import type { BlockChoice } from "./block/block-choice.ts";
import { FoundAsset } from "./FoundAsset.tsx";
import { RegisteredVariant } from "./OtherBytesHint.tsx";
import type { Subject } from "./proof/verdict.ts";
import style from "./verify.module.css";
import { Waiting } from "./Waiting.tsx";

const words = texts.verify;

/** Milliseconds after which an asset that is not final yet is asked for again. */
const AGAIN = 5_000;

/** Assets whose proofs are fetched without being asked. */
const checkedAtOnce = 3;

type SearchResultProps = {
  digests: Digests;
  subject: Exclude<Subject, "nothing">;
  choice: BlockChoice;
  file?: File | undefined;
  /** Looks by every other method too; undefined where all were tried. */
  onMore?: (() => void) | undefined;
};

/** Every asset that bears a hash, each with its proof, or words for why there is none to show. */
export function SearchResult({ digests, subject, choice, file, onMore }: SearchResultProps) {
  const { data, error } = useQuery({
    queryKey: ["assets by hash", [...digests]],
    queryFn: ({ signal }) => findAssets(registry, digests, signal),
    refetchInterval: ({ state }) =>
      state.data?.assets.every(({ final }) => final) === false ? AGAIN : false,
  });
  if (error !== null) {
    const why = problemInWords(error);
    return (
      <Notice tone="warn" title={words.cannot.title}>
        {words.cannot.search(why)}
      </Notice>
    );
  }
  if (data === undefined) return <Waiting>{words.searching}</Waiting>;
  const { assets, isCut } = data;
  if (assets.length === 0) {
    const methods = [...digests.keys()].map(methodName).join(", ");
    return (
      <div className={style.outcome}>
        <Notice title={words.unknown.title}>{words.unknown[subject](methods)}</Notice>
        {file && <RegisteredVariant file={file} />}
        {onMore && <Button onPress={onMore}>{words.unknown.others}</Button>}
      </div>
    );
  }
  const shown = isCut ? words.foundMany(assets.length) : words.found(assets.length);
  return (
    <div className={style.outcome}>
      <p>
        {shown} <span className={style.soft}>{words.anybody}</span>
      </p>
      <ol className={style.found}>
        {assets.map((asset, at) => (
          <li key={asset.id}>
            <FoundAsset {...{ asset, digests, subject, choice }} isChecked={at < checkedAtOnce} />
          </li>
        ))}
      </ol>
    </div>
  );
}
