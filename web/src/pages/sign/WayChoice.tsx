import { useId } from "react";
import { texts } from "../../texts/texts.ts";
import type { Way } from "./rules/sign-request.ts";
import style from "./WayChoice.module.css";

const words = texts.sign.act;
const ways = ["gasless", "send"] as const;

type WayChoiceProps = {
  way: Way;
  /** What a transaction of one's own costs, in words. */
  cost: string | undefined;
  onChange: (way: (typeof ways)[number]) => void;
};

/** Whether the service pays for the author, or the author. */
export function WayChoice({ way, cost, onChange }: WayChoiceProps) {
  const name = useId();
  return (
    <fieldset className={style.choice}>
      <legend>{words.way}</legend>
      {ways.map((one) => (
        <label key={one} className={style.option}>
          <input type="radio" name={name} checked={way === one} onChange={() => onChange(one)} />
          {one === "gasless" ? words.ways.gasless : words.ways.send(cost)}
        </label>
      ))}
    </fieldset>
  );
}
