import { type ReactNode, useId } from "react";
import style from "./Panel.module.css";

/** A part of a page under a heading of its own. */
export function Panel({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={style.panel} aria-labelledby={id}>
      <header className={style.head}>
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}
