import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { apiKey, readApiKey } from "../service/api-key.ts";
import { useApiKey } from "../service/use-api-key.ts";
import { texts } from "../texts/texts.ts";
import style from "./ApiKeyForm.module.css";
import { Button } from "./Button.tsx";
import { TextInput } from "./form/TextFields.tsx";

const words = texts.parts.apiKey;

/** Takes the integrator's API key for this tab, or says that there is one and lets it be forgotten. */
export function ApiKeyForm() {
  const held = useApiKey();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  if (held !== undefined) {
    return (
      <p className={style.held}>
        <span>{words.held}</span>
        <Button onPress={() => apiKey.set(undefined)}>{words.forget}</Button>
      </p>
    );
  }
  const take = (event: FormEvent) => {
    event.preventDefault();
    const key = readApiKey(text);
    if (key === undefined) return setProblem(words.unreadable);
    setText("");
    setProblem(undefined);
    apiKey.set(key);
  };
  return (
    <Form onSubmit={take} className={style.form}>
      <TextInput
        label={words.label}
        hint={words.hint}
        problem={problem}
        type="password"
        autoComplete="off"
        value={text}
        onChange={setText}
      />
      <Button type="submit">{words.use}</Button>
    </Form>
  );
}
