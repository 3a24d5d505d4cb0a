import { FieldError, Input, Label, Text, TextField, type TextFieldProps } from "react-aria-components";
import style from "./TextInput.module.css";

type TextInputProps = TextFieldProps & {
  label: string;
  /** A sentence under the label. */
  hint?: string | undefined;
  /** What is wrong with the text, and what to do. */
  problem?: string | undefined;
  placeholder?: string | undefined;
};

/** A field for one line of text under its label. */
export function TextInput({ label, hint, problem, placeholder, ...props }: TextInputProps) {
  return (
    <TextField {...props} className={style.field} isInvalid={problem !== undefined} validationBehavior="aria">
      <Label className={style.label}>{label}</Label>
      {hint !== undefined && (
        <Text slot="description" className={style.hint}>
          {hint}
        </Text>
      )}
      <Input className={style.input} placeholder={placeholder} />
      <FieldError className={style.problem}>{problem}</FieldError>
    </TextField>
  );
}
