import type { ReactNode } from "react";
import style from "./FactList.module.css";

export type Fact = { name: string; value: ReactNode };

/** Names and their values, beside each other where there is room. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={style.facts}>
      {facts.map(({ name, value }) => (
        <div key={name} className={style.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
