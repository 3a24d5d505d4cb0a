import { useState } from "react";
import { texts } from "../texts/texts.ts";
import style from "./CopyButton.module.css";

/** Milliseconds for which the button says that it was done. */
const SHOWN = 2_000;

/** Copies a value to the clipboard; `label` says which, for those who cannot see what it stands beside. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  // Pages by plain http have no clipboard.
  if (navigator.clipboard === undefined) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN);
  };
  return (
    <button type="button" className={style.copy} onClick={copy} aria-label={`${texts.parts.copy} ${label}`}>
      {isCopied ? texts.parts.copied : texts.parts.copy}
    </button>
  );
}
