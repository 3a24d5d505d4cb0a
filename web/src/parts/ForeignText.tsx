import { useState } from "react";
import { texts } from "../texts/texts.ts";
import style from "./ForeignText.module.css";
import { beginningOf, segmentsOf } from "./foreign-text.ts";

type ForeignTextProps = {
  text: string;
  /** Characters shown at first. */
  most?: number;
  /** Shows the beginning alone, without a button that shows more: where it stands in a link or a heading. */
  brief?: boolean;
  /** Keeps line breaks. */
  block?: boolean;
};

/** Most characters that are ever shown: a page with more would stand still. */
const limit = 70_000;

/**
 * A text of somebody else's, from the chain or a request, as text alone: its direction does not leave it, and characters
 * that are invisible or reorder it are shown by their codes.
 */
export function ForeignText({ text, most = 600, brief = false, block = false }: ForeignTextProps) {
  const [isOpen, setOpen] = useState(false);
  const { shown, whole } = beginningOf(text, isOpen ? limit : most);
  const Element = block ? "div" : "span";
  return (
    <Element className={block ? style.block : style.line}>
      <bdi>
        {segmentsOf(shown).map((segment, at) =>
          "text" in segment ? (
            segment.text
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: segments have no other identity
            <span key={at} className={style.hidden} title={texts.parts.hiddenCharacter(segment.code)}>
              {segment.code}
            </span>
          ),
        )}
        {!whole && "…"}
      </bdi>
      {!brief && (text.length > most || isOpen) && (
        <button type="button" className={style.more} onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          {isOpen ? texts.parts.showLess : texts.parts.showAll}
        </button>
      )}
      {isOpen && !whole && <span>{texts.parts.cut(shown.length, text.length)}</span>}
    </Element>
  );
}
