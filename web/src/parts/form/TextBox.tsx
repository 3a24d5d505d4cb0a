import { FieldError, Label, Text, TextArea, TextField, type TextFieldProps } from "react-aria-components";
import style from "../TextInput.module.css";

type TextBoxProps = TextFieldProps & {
  label: string;
  /** A sentence under the label. */
  hint?: string | undefined;
  /** What is wrong with the text, and what to do. */
  problem?: string | undefined;
  placeholder?: string | undefined;
  rows?: number;
};

/** A field for several lines of text under its label. */
export function TextBox({ label, hint, problem, placeholder, rows = 4, ...props }: TextBoxProps) {
  return (
    <TextField {...props} className={style.field} isInvalid={problem !== undefined} validationBehavior="aria">
      <Label className={style.label}>{label}</Label>
      {hint !== undefined && (
        <Text slot="description" className={style.hint}>
          {hint}
        </Text>
      )}
      <TextArea className={style.input} placeholder={placeholder} rows={rows} />
      <FieldError className={style.problem}>{problem}</FieldError>
    </TextField>
  );
}
