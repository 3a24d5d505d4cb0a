import { Label, ProgressBar } from "react-aria-components";
import { Button } from "../parts/Button.tsx";
import { ForeignText } from "../parts/ForeignText.tsx";
import { texts } from "../texts/texts.ts";
import style from "./HashingProgress.module.css";
import { sizeInWords } from "./size.ts";

type HashingProgressProps = { file: File; bytes: number; onCancel(): void };

/** How much of a file has been read, with a button to stop. */
export function HashingProgress({ file, bytes, onCancel }: HashingProgressProps) {
  const words = texts.file.read(sizeInWords(bytes), sizeInWords(file.size));
  return (
    <div className={style.progress}>
      <ProgressBar value={bytes} maxValue={file.size} valueLabel={words} className={style.bar}>
        {({ percentage = 0 }) => (
          <>
            <Label>
              {texts.file.hashing} <ForeignText text={file.name} most={100} />
            </Label>
            <div className={style.track}>
              <div className={style.fill} style={{ inlineSize: `${percentage}%` }} />
            </div>
            <span className={style.words}>{words}</span>
          </>
        )}
      </ProgressBar>
      <Button onPress={onCancel}>{texts.file.cancel}</Button>
    </div>
  );
}
