import type { ReactNode } from "react";
import style from "./Doing.module.css";

/** What is being done just now, and beneath it where to look meanwhile. */
export function Doing({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={style.doing}>
      <span className={style.spinner} aria-hidden="true" />
      <div>
        <p className={style.title}>{title}</p>
        {children}
      </div>
    </div>
  );
}
