import type { HashedFile, HashMethod } from "asset-registry-proof";
import { FileDrop } from "../../file/FileDrop.tsx";
import { HashingProgress } from "../../file/HashingProgress.tsx";
import { useHashing } from "../../file/useHashing.ts";
import { Button } from "../../parts/Button.tsx";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { AssetListing } from "../../search/AssetListing.tsx";
import { asksOfDigests } from "../../search/understand.ts";
import { useFound } from "../../search/useFound.ts";
import { texts } from "../../texts/texts.ts";
import style from "./FileSearch.module.css";

const words = texts.home;

/** Methods that most assets bear; more would make large files wait. */
const methods: HashMethod[] = ["sha256", "sha512", "sha3-256"];

/** Searches for the assets that bear the hash of a file, which is computed here. `onFile` tells whether there is one. */
export function FileSearch({ onFile }: { onFile(hasFile: boolean): void }) {
  const { hashing, hash, clear } = useHashing();
  const take = ([file]: File[]) => {
    if (file === undefined) return;
    onFile(true);
    void hash(file, methods);
  };
  const end = () => {
    onFile(false);
    clear();
  };
  if (hashing === undefined) return <FileDrop title={words.drop} hint={words.dropHint} onFiles={take} />;
  return (
    <Panel
      title={words.fileResults}
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
      {hashing.state === "done" && <FileResults digests={hashing.hashed.digests} />}
    </Panel>
  );
}

function FileResults({ digests }: Pick<HashedFile, "digests">) {
  const found = useFound(asksOfDigests(digests));
  return (
    <>
      <AssetListing listing={found} isCounted isExplained none={<Notice>{words.fileNone}</Notice>} />
      {/* Its policy differs: the document is loaded anew. */}
      <p>
        <a href="/console/verify">{words.verify}</a>
      </p>
    </>
  );
}
