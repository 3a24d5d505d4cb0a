import { type ReactNode, useEffect, useRef } from "react";
import { useLocation } from "react-router";
import { texts } from "../texts/texts.ts";
import style from "./Page.module.css";

type PageProps = {
  title: string;
  /** Shown in the place of the title, where that is a text of somebody else's. */
  heading?: ReactNode;
  /** A sentence under the title. */
  lead?: ReactNode;
  /** Wide pages use the whole window. */
  wide?: boolean;
  /** Leaves the title out on paper. */
  isScreenTitle?: boolean;
  children?: ReactNode;
};

/** The content of one page under its title, which names the document too and takes the focus after a change of page. */
export function Page({
  title,
  heading: shown = title,
  lead,
  wide = false,
  isScreenTitle = false,
  children,
}: PageProps) {
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
      <header className={`${style.head} ${isScreenTitle ? style.screen : ""}`}>
        <h1 ref={heading} tabIndex={-1}>
          {shown}
        </h1>
        {lead !== undefined && <p className={style.lead}>{lead}</p>}
      </header>
      {children}
    </div>
  );
}
