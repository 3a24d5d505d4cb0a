import type { ReactNode } from "react";
import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField,
  type TextFieldProps,
} from "react-aria-components";
import style from "./TextFields.module.css";

type FieldProps = TextFieldProps & {
  label: string;
  /** A sentence under the label. */
  hint?: string | undefined;
  /** What is wrong with the text, and what to do. */
  problem?: string | undefined;
};

type TextInputProps = FieldProps & { placeholder?: string | undefined };

/** A field for one line of text under its label. */
export function TextInput({ placeholder, ...field }: TextInputProps) {
  return (
    <Field {...field}>
      <Input className={style.input} placeholder={placeholder} />
    </Field>
  );
}

/** A field for several lines of text under its label. */
export function TextBox({ placeholder, rows = 4, ...field }: TextInputProps & { rows?: number }) {
  return (
    <Field {...field}>
      <TextArea className={style.input} placeholder={placeholder} rows={rows} />
    </Field>
  );
}

function Field({ label, hint, problem, children, ...props }: FieldProps & { children: ReactNode }) {
  return (
    <TextField {...props} className={style.field} isInvalid={problem !== undefined} validationBehavior="aria">
      <Label className={style.label}>{label}</Label>
      {hint !== undefined && (
        <Text slot="description" className={style.hint}>
          {hint}
        </Text>
      )}
      {children}
      <FieldError className={style.problem}>{problem}</FieldError>
    </TextField>
  );
}
