import { useQuery } from "@tanstack/react-query";
import { Panel } from "../../parts/Panel.tsx";
import { statusQuery } from "../../service/status.ts";
import { texts } from "../../texts/texts.ts";
import style from "./IndexState.module.css";
import { indexInWords } from "./index-words.ts";

/** How far the index is, in sentences. */
export function IndexState() {
  const { data } = useQuery(statusQuery);
  return (
    <Panel title={texts.home.index}>
      <p className={style.words}>{indexInWords(data).join(" ")}</p>
    </Panel>
  );
}
