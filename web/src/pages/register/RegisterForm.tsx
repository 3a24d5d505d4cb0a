import type { Asset } from "asset-registry-client";
import type { HashMethod } from "asset-registry-proof";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Form } from "react-aria-components";
import { prepareHashing } from "../../file/hash-in-worker.ts";
import { useDigests } from "../../file/useDigests.ts";
import { ApiKeyForm } from "../../parts/ApiKeyForm.tsx";
import { Button } from "../../parts/Button.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { useSettings } from "../../service/settings.ts";
import { texts } from "../../texts/texts.ts";
import { AuthorField } from "./AuthorField.tsx";
import { CountedField } from "./CountedField.tsx";
import { FilePart } from "./FilePart.tsx";
import { emptyFields, type FieldName, fieldNames, withFile, withoutFile } from "./form.ts";
import style from "./register.module.css";
import { useRegistration } from "./useRegistration.ts";

const words = texts.register;

/** The form of a registration; what is typed and the API key stay in the memory of this tab. */
export function RegisterForm({ onRegistered }: { onRegistered(asset: Asset): void }) {
  useEffect(prepareHashing, []);
  const limits = useSettings().limits.text;
  const [fields, setFields] = useState(emptyFields);
  const [file, setFile] = useState<File>();
  const [method, setMethod] = useState<HashMethod>("sha256");
  const hashing = useDigests(file, [method]);
  const { register, forget, problems, refusal, failures, isBusy } = useRegistration(limits, onRegistered);
  const form = useRef<HTMLFormElement>(null);

  const digest = hashing.digests?.get(method);
  useEffect(() => {
    if (file === undefined || digest === undefined) return;
    setFields((typed) => withFile(typed, file, { method, digest }));
  }, [file, method, digest]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves after a try, not while a field is corrected
  useEffect(() => {
    const first = fieldNames.find((name) => problems[name] !== undefined);
    if (first !== undefined) form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
  }, [failures]);

  const change = (name: FieldName) => (value: string) => {
    setFields((typed) => ({ ...typed, [name]: value }));
    forget(name);
  };
  const choose = (chosen: File | undefined) => {
    setFile(chosen);
    if (chosen === undefined) setFields(withoutFile);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void register(fields);
  };
  const counted = (name: Exclude<FieldName, "author">) => ({
    name,
    value: fields[name],
    most: limits[name],
    problem: problems[name],
    onChange: change(name),
  });
  const isReading = file !== undefined && digest === undefined && hashing.problem === undefined;

  return (
    <>
      <Panel title={words.key.title}>
        <ApiKeyForm />
      </Panel>
      <FilePart {...{ file, method, hashing }} onFile={choose} onMethod={setMethod} />
      <Panel title={words.form.title}>
        <Notice>{words.form.warning}</Notice>
        <Form ref={form} onSubmit={submit} className={style.form} validationBehavior="aria">
          <CountedField {...counted("name")} isRequired />
          <AuthorField value={fields.author} problem={problems.author} onChange={change("author")} />
          <CountedField {...counted("data")} isLong />
          <CountedField {...counted("uri")} />
          <div className={style.pair}>
            <CountedField {...counted("fileName")} />
            <CountedField {...counted("fileType")} />
            <CountedField {...counted("fileSize")} />
            <CountedField {...counted("method")} />
          </div>
          <CountedField {...counted("hash")} />
          <div role="alert">
            {refusal !== undefined && (
              <Notice tone="bad" title={words.problems.title}>
                {refusal}
              </Notice>
            )}
          </div>
          <div className={style.actions}>
            <Button type="submit" kind="primary" isDisabled={isReading}>
              {isBusy ? words.sending : words.submit}
            </Button>
          </div>
        </Form>
      </Panel>
    </>
  );
}
