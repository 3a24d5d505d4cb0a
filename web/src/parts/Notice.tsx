import type { ReactNode } from "react";
import style from "./Notice.module.css";
import type { Tone } from "./tone.ts";

export type { Tone } from "./tone.ts";

type NoticeProps = {
  tone?: Tone;
  title?: ReactNode;
  /** Without a frame, from edge to edge. */
  flat?: boolean;
  children?: ReactNode;
};

const marks: Record<Tone, string> = { plain: "i", good: "✓", warn: "!", bad: "✕" };

/** A message that stands out; its tone is told by a mark too, not by colour alone. */
export function Notice({ tone = "plain", title, flat = false, children }: NoticeProps) {
  return (
    <div className={`${style.notice} ${style[tone]} ${flat ? style.flat : ""}`}>
      <span className={style.mark} aria-hidden="true">
        {marks[tone]}
      </span>
      <div className={style.words}>
        {title !== undefined && <p className={style.title}>{title}</p>}
        {children !== undefined && <div>{children}</div>}
      </div>
    </div>
  );
}
