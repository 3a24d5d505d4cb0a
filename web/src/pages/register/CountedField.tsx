import { TextBox, TextInput } from "../../parts/form/TextFields.tsx";
import { texts } from "../../texts/texts.ts";
import { codePoints, type FieldName } from "./form.ts";
import style from "./register.module.css";

const { form, fields, hints } = texts.register;

type CountedFieldProps = {
  name: FieldName;
  value: string;
  /** Most code points. */
  most: number;
  problem: string | undefined;
  isRequired?: boolean;
  /** Several lines. */
  isLong?: boolean;
  onChange(value: string): void;
};

/** A field with its limit, and how much of it is used. */
export function CountedField({
  name,
  value,
  most,
  problem,
  isRequired,
  isLong,
  onChange,
}: CountedFieldProps) {
  const count = codePoints(value);
  const label = isRequired ? fields[name] : `${fields[name]} (${form.optional})`;
  const hint = (hints as Partial<Record<FieldName, string>>)[name];
  const common = { name, label, hint, problem, value, onChange, autoComplete: "off", isRequired };
  return (
    <div className={style.counted}>
      {isLong ? <TextBox {...common} rows={5} /> : <TextInput {...common} />}
      <p className={count > most ? style.over : style.count}>{form.count(count, most)}</p>
    </div>
  );
}
