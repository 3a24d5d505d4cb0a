import { type FormEvent, useEffect, useState } from "react";
import { Form, Input, Label, SearchField } from "react-aria-components";
import { Button } from "../parts/Button.tsx";
import { texts } from "../texts/texts.ts";
import style from "./SearchBox.module.css";

const words = texts.search;

type SearchBoxProps = {
  /** The text that is being looked for. */
  text: string;
  onSearch(text: string): void;
  label?: string;
};

/** One line for whatever can be searched for. */
export function SearchBox({ text, onSearch, label = words.label }: SearchBoxProps) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(typed);
  };
  return (
    <Form onSubmit={submit} role="search" className={style.form}>
      <SearchField value={typed} onChange={setTyped} onClear={() => onSearch("")} className={style.field}>
        <Label className={style.label}>{label}</Label>
        <Input
          className={style.input}
          placeholder={words.placeholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck="false"
        />
      </SearchField>
      <Button type="submit" kind="primary">
        {words.go}
      </Button>
    </Form>
  );
}
