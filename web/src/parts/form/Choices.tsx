import { Label, Radio, RadioGroup } from "react-aria-components";
import style from "./Choices.module.css";

type ChoicesProps<Value extends string> = {
  label: string;
  value: Value;
  choices: readonly { value: Value; label: string }[];
  onChange(value: Value): void;
};

/** A few answers of which one holds. */
export function Choices<Value extends string>({ label, value, choices, onChange }: ChoicesProps<Value>) {
  return (
    <RadioGroup value={value} onChange={(next) => onChange(next as Value)} className={style.group}>
      <Label className={style.label}>{label}</Label>
      {choices.map((choice) => (
        <Radio key={choice.value} value={choice.value} className={style.choice}>
          <span className={style.dot} aria-hidden="true" />
          {choice.label}
        </Radio>
      ))}
    </RadioGroup>
  );
}
