import { texts } from "../texts/texts.ts";
import style from "./Loading.module.css";

/** Shown while a page or its data is on the way. */
export function Loading() {
  return (
    <p className={style.loading} role="status">
      {texts.parts.loading}
    </p>
  );
}
