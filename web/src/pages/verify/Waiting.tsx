import type { ReactNode } from "react";
import style from "./verify.module.css";

/** Says what is waited for. */
export function Waiting({ children }: { children: ReactNode }) {
  return <p className={style.waiting}>{children}</p>;
}
