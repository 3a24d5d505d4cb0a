import type { Check } from "asset-registry-proof";
import { ForeignText } from "../../../parts/ForeignText.tsx";
import { HexValue } from "../../../parts/HexValue.tsx";
import { texts } from "../../../texts/texts.ts";
import style from "../verify.module.css";
import type { Checked } from "./check-proof.ts";
import { isNotAsked, type Subject } from "./verdict.ts";

const { checks: words, facts } = texts.verify;
const marks = { valid: "✓", invalid: "✕", "cannot check": "?", "not asked": "–" } as const;

/** Each check by the verifier's own name, with its outcome and the verifier's own reason. */
export function CheckList({ checked: { result }, subject }: { checked: Checked; subject: Subject }) {
  return (
    <section className={style.checks}>
      <h3>{words.title}</h3>
      <ul>
        {result.checks.map((check) => (
          <CheckItem key={check.name} check={check} subject={subject} />
        ))}
      </ul>
      {result.links !== undefined && result.links.length > 0 && (
        <>
          <h3>{facts.links}</h3>
          <ul className={style.links}>
            {result.links.map(({ child, state }) => (
              <li key={child}>
                <HexValue value={child} label={facts.asset} short /> {facts.linkStates[state]}
              </li>
            ))}
          </ul>
        </>
      )}
      {result.block !== undefined && result.verdict !== "invalid" && (
        <p className={style.soft}>{facts.asOf}</p>
      )}
    </section>
  );
}

function CheckItem({ check, subject }: { check: Check; subject: Subject }) {
  const { name, outcome, code, reason } = check;
  const shown = isNotAsked(code, subject) ? "not asked" : outcome;
  return (
    <li className={style.check} data-outcome={shown} data-code={code}>
      <span className={style.mark} aria-hidden="true">
        {marks[shown]}
      </span>
      <div>
        <p>
          <strong>{words.names[name]}</strong> <code>{name}</code>{" "}
          <span className={style.word}>{shown === "not asked" ? words.notAsked : words.outcomes[shown]}</span>
        </p>
        <p className={style.soft}>
          <ForeignText text={reason} />
        </p>
      </div>
    </li>
  );
}
