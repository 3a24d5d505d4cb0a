import type { ReactNode } from "react";
import style from "./Rows.module.css";

/** A list in a panel, with a line between two entries. */
export function Rows({ children }: { children: ReactNode }) {
  return <ul className={style.rows}>{children}</ul>;
}
