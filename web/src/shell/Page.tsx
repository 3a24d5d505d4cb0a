import { type ReactNode, useEffect, useRef } from "react";
import { useLocation } from "react-router";
import { texts } from "../texts/texts.ts";
import style from "./Page.module.css";

type PageProps = {
  title: string;
  /** A sentence under the title. */
  lead?: ReactNode;
  /** Wide pages use the whole window. */
  wide?: boolean;
  children?: ReactNode;
};

/** The content of one page under its title, which names the document too and takes the focus after a change of page. */
export function Page({ title, lead, wide = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname, key } = useLocation();
  useEffect(() => {
    document.title = `${title} · ${texts.shell.product}`;
  }, [title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves when the page changes, not its title
  useEffect(() => {
    if (key !== "default") heading.current?.focus();
  }, [pathname]);
  return (
    <div className={wide ? style.wide : style.page}>
      <header className={style.head}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead !== undefined && <p className={style.lead}>{lead}</p>}
      </header>
      {children}
    </div>
  );
}
