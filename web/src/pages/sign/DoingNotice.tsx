import { texts } from "../../texts/texts.ts";
import style from "./DoingNotice.module.css";
import type { Doing } from "./use-signing.ts";

const words = texts.sign.act;

/** What is being done, and where to look while the wallet is asked. */
export function DoingNotice({ doing: { step } }: { doing: Doing }) {
  const isWallet = step === "connect" || step === "network" || step === "ask";
  return (
    <div className={style.doing}>
      <span className={style.spinner} aria-hidden="true" />
      <div>
        <p className={style.title}>{words.steps[step]}</p>
        {isWallet && <p>{words.lookThere}</p>}
      </div>
    </div>
  );
}
