import type { PublicAsset } from "asset-registry-client";
import type { HashedFile, HashMethod } from "asset-registry-proof";
import type { ReactNode } from "react";
import { FileDrop } from "../file/FileDrop.tsx";
import { HashingProgress } from "../file/HashingProgress.tsx";
import { useHashing } from "../file/useHashing.ts";
import { Button } from "../parts/Button.tsx";
import { ForeignText } from "../parts/ForeignText.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Panel } from "../parts/Panel.tsx";
import { texts } from "../texts/texts.ts";
import { AssetListing } from "./AssetListing.tsx";
import style from "./FileSearch.module.css";
import { asksOfDigests } from "./understand.ts";
import { useFound } from "./useFound.ts";

const words = texts.search.file;

/** Methods that most assets bear; more would make large files wait. */
const methods: HashMethod[] = ["sha256", "sha512", "sha3-256"];

type FileSearchProps = {
  /** Told whether there is a file. */
  onFile?(hasFile: boolean): void;
  /** What can be done with an asset that was found. */
  actions?: ((asset: PublicAsset) => ReactNode) | undefined;
};

/** Searches for the assets that bear the hash of a file, which is computed here. */
export function FileSearch({ onFile, actions }: FileSearchProps) {
  const { hashing, hash, clear } = useHashing();
  const take = ([file]: File[]) => {
    if (file === undefined) return;
    onFile?.(true);
    void hash(file, methods);
  };
  const end = () => {
    onFile?.(false);
    clear();
  };
  if (hashing === undefined) return <FileDrop title={words.drop} hint={words.dropHint} onFiles={take} />;
  return (
    <Panel
      title={words.results}
      actions={hashing.state !== "reading" && <Button onPress={end}>{texts.search.clear}</Button>}
    >
      <p className={style.name}>
        <ForeignText text={hashing.file.name} most={200} />
      </p>
      {hashing.state === "reading" && (
        <HashingProgress file={hashing.file} bytes={hashing.bytes} onCancel={end} />
      )}
      {hashing.state === "failed" && (
        <div role="alert">
          <Notice tone="warn">{texts.file.problems[hashing.problem]}</Notice>
        </div>
      )}
      {hashing.state === "done" && <FileResults digests={hashing.hashed.digests} actions={actions} />}
    </Panel>
  );
}

function FileResults({ digests, actions }: Pick<HashedFile, "digests"> & Pick<FileSearchProps, "actions">) {
  const found = useFound(asksOfDigests(digests));
  return (
    <>
      <AssetListing
        listing={found}
        isCounted
        isExplained
        none={<Notice>{words.none}</Notice>}
        actions={actions === undefined ? undefined : ({ asset }) => actions(asset)}
      />
      {/* Its policy differs: the document is loaded anew. */}
      <p>
        <a href="/console/verify">{words.verify}</a>
      </p>
    </>
  );
}
