import { useSettings } from "../service/settings.ts";
import { texts } from "../texts/texts.ts";
import style from "./Footer.module.css";

/** Which registry this is, on which chain. */
export function Footer() {
  const { registry, chain, version } = useSettings();
  return (
    <footer className={style.footer}>
      <p>{texts.shell.footer(registry, chain.name, version)}</p>
      <a href="/docs">{texts.shell.api}</a>
    </footer>
  );
}
