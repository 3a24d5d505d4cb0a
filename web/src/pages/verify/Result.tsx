import type { PublicAsset } from "asset-registry-client";
import type { useDigests } from "../../file/useDigests.ts";
import { Notice } from "../../parts/Notice.tsx";
import { problemInWords } from "../../service/problem-words.ts";
import { texts } from "../../texts/texts.ts";
import type { BlockChoice } from "./block/block-choice.ts";
import { FoundAsset } from "./FoundAsset.tsx";
import { SameText } from "./OtherBytesHint.tsx";
import { ProofCheck } from "./proof/ProofCheck.tsx";
import type { Question } from "./question.ts";
import { SearchResult } from "./SearchResult.tsx";
import { Waiting } from "./Waiting.tsx";

const words = texts.verify;

type ResultProps = {
  question: Question;
  hashing: ReturnType<typeof useDigests>;
  /** What the service says of the asset of a pasted id. */
  lookup: { asset: PublicAsset | undefined; isUnknown: boolean; error: Error | null };
  /** The asset that the file is compared with, where it is known. */
  compared: { method: string; hash: string } | undefined;
  choice: BlockChoice;
  onMore: (() => void) | undefined;
};

/** The answer to the visitor's question, and what explains it. */
export function Result(props: ResultProps) {
  const { question, hashing, compared } = props;
  const { file } = question;
  const { digests } = hashing;
  return (
    <>
      <Answer {...props} />
      {file && digests && compared && <SameText file={file} digests={digests} asset={compared} />}
    </>
  );
}

function Answer({ question, hashing, lookup, choice, onMore }: ResultProps) {
  const { file, document, written } = question;
  const { digests, problem } = hashing;
  if (problem !== undefined) {
    return (
      <Notice tone="warn" title={words.cannot.title}>
        {texts.file.problems[problem]}
      </Notice>
    );
  }
  if (file !== undefined && digests === undefined && lookup.error === null) {
    return <Waiting>{words.hashing}</Waiting>;
  }
  const subject = file === undefined ? "nothing" : "file";
  if (document !== undefined) {
    const source = `${document.name} ${documentKey(document)}`;
    return <ProofCheck document={document.bytes} {...{ source, digests, subject, choice }} />;
  }
  if (written?.assetId !== undefined && !(lookup.isUnknown && written.digests.size > 0)) {
    return <AssetResult {...{ lookup, digests, subject, choice }} />;
  }
  if (written !== undefined && file === undefined) {
    return <SearchResult digests={written.digests} subject="hash" choice={choice} />;
  }
  return digests === undefined ? null : (
    <SearchResult {...{ digests, choice, onMore, file }} subject="file" />
  );
}

type AssetResultProps = Pick<ResultProps, "lookup" | "choice"> & {
  digests: ReturnType<typeof useDigests>["digests"];
  subject: "file" | "nothing";
};

function AssetResult({ lookup, digests, subject, choice }: AssetResultProps) {
  const { asset, isUnknown, error } = lookup;
  if (isUnknown) return <Notice title={words.unknown.title}>{words.unknown.asset}</Notice>;
  if (error !== null && asset === undefined) {
    const why = problemInWords(error);
    return (
      <Notice tone="warn" title={words.cannot.title}>
        {words.cannot.search(why)}
      </Notice>
    );
  }
  if (asset === undefined) return <Waiting>{words.searching}</Waiting>;
  return <FoundAsset key={asset.id} {...{ asset, digests, subject, choice }} isChecked />;
}

const keys = new WeakMap<object, number>();
let lastKey = 0;

/** Tells documents of one name apart. */
function documentKey(document: object): number {
  const known = keys.get(document);
  if (known !== undefined) return known;
  lastKey += 1;
  keys.set(document, lastKey);
  return lastKey;
}
