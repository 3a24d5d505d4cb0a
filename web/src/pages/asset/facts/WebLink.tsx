import { ForeignText } from "../../../parts/ForeignText.tsx";
import { texts } from "../../../texts/texts.ts";
import style from "./Facts.module.css";
import { webLink } from "./uri.ts";

const words = texts.asset;

/** Where a file can be had, as its author wrote it; a link only where it leads to the web, which says to which host. */
export function WebLink({ uri }: { uri: string }) {
  const link = webLink(uri);
  if (link === undefined) {
    return (
      <>
        <ForeignText text={uri} most={300} /> <span className={style.quiet}>{words.noLink}</span>
      </>
    );
  }
  return (
    <>
      <a href={link.href} target="_blank" rel="noopener noreferrer nofollow">
        <ForeignText text={uri} most={300} brief />
      </a>{" "}
      <span className={style.quiet}>{words.leadsTo(link.host)}</span>
    </>
  );
}
