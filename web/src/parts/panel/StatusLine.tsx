import type { ComponentProps } from "react";
import style from "./StatusLine.module.css";

/** A line at the head of a panel whose changes are announced to screen readers. */
export function StatusLine(props: Omit<ComponentProps<"div">, "role" | "className">) {
  return <div {...props} role="status" className={style.status} />;
}
