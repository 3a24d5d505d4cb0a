import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { Button } from "../../parts/Button.tsx";
import { TextInput } from "../../parts/form/TextFields.tsx";
import { texts } from "../../texts/texts.ts";
import style from "./verify.module.css";
import { readWritten, type Written } from "./written.ts";

const words = texts.verify.paste;

/** Takes an asset id or a hash as text. */
export function PasteForm({ onWritten }: { onWritten(written: Written): void }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const written = readWritten(text);
    setProblem(written === undefined ? words.unreadable : undefined);
    if (written !== undefined) onWritten(written);
  };
  return (
    <Form onSubmit={submit} className={style.line}>
      <TextInput
        label={words.label}
        hint={words.hint}
        problem={problem}
        value={text}
        onChange={setText}
        autoComplete="off"
      />
      <Button type="submit">{words.look}</Button>
    </Form>
  );
}
