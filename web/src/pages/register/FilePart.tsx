import { type HashMethod, hashMethods, methodName, weaknessOf } from "asset-registry-proof";
import { useId } from "react";
import { FileDrop } from "../../file/FileDrop.tsx";
import { HashingProgress } from "../../file/HashingProgress.tsx";
import type { useDigests } from "../../file/useDigests.ts";
import { Button } from "../../parts/Button.tsx";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { texts } from "../../texts/texts.ts";
import { AlreadyRegistered } from "./AlreadyRegistered.tsx";
import style from "./register.module.css";

const words = texts.register.file;

type FilePartProps = {
  file: File | undefined;
  method: HashMethod;
  hashing: ReturnType<typeof useDigests>;
  onFile(file: File | undefined): void;
  onMethod(method: HashMethod): void;
};

/** Takes the file, hashes it by the chosen method, and says where it is registered already. */
export function FilePart({ file, method, hashing, onFile, onMethod }: FilePartProps) {
  const { digests, bytes, problem } = hashing;
  const id = useId();
  const weakness = weaknessOf(method);
  return (
    <Panel
      title={words.title}
      actions={file && <Button onPress={() => onFile(undefined)}>{words.remove}</Button>}
    >
      <FileDrop
        title={file === undefined ? words.drop : words.another}
        hint={file === undefined ? words.hint : undefined}
        isSmall={file !== undefined}
        onFiles={([dropped]) => onFile(dropped)}
      />
      <div className={style.field}>
        <label className={style.label} htmlFor={id}>
          {words.method}
        </label>
        <select id={id} value={method} onChange={({ target }) => onMethod(target.value as HashMethod)}>
          {hashMethods.map((one) => (
            <option key={one} value={one}>
              {methodName(one)}
            </option>
          ))}
        </select>
      </div>
      {weakness !== undefined && <Notice tone="warn">{words.weak(weakness)}</Notice>}
      {problem !== undefined && <Notice tone="warn">{texts.file.problems[problem]}</Notice>}
      {file !== undefined && digests === undefined && problem === undefined && (
        <HashingProgress file={file} bytes={bytes} onCancel={() => onFile(undefined)} />
      )}
      {file !== undefined && digests !== undefined && (
        <div role="status" className={style.stack}>
          <p>
            <ForeignText text={file.name} most={200} />. {words.done}
          </p>
          {file.size === 0 && <Notice tone="warn">{words.empty}</Notice>}
          <AlreadyRegistered digests={digests} />
        </div>
      )}
    </Panel>
  );
}
