import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { Button } from "../../../parts/Button.tsx";
import { Choices } from "../../../parts/form/Choices.tsx";
import { TextBox, TextInput } from "../../../parts/form/TextFields.tsx";
import { Panel } from "../../../parts/Panel.tsx";
import { texts } from "../../../texts/texts.ts";
import style from "../verify.module.css";
import { type BlockChoice, mostNodes, readBlockHash, readNodeUrls } from "./block-choice.ts";

const words = texts.verify.block;
const sources = ["nowhere", "nodes", "hash"] as const;

/** Lets the visitor say who tells the block's hash. What is typed stays in this page's memory. */
export function BlockForm({ onChoice }: { onChoice(choice: BlockChoice): void }) {
  const [from, setFrom] = useState<BlockChoice["from"]>("nowhere");
  const [text, setText] = useState({ nodes: "", hash: "" });
  const [problem, setProblem] = useState<string>();

  /** What was confirmed before is not confirmed by what stands in the form now. */
  const takeBack = () => {
    setProblem(undefined);
    onChoice({ from: "nowhere" });
  };
  const choose = (next: BlockChoice["from"]) => {
    setFrom(next);
    takeBack();
  };
  const type = (next: Partial<typeof text>) => {
    setText({ ...text, ...next });
    takeBack();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = from === "hash" ? hashChoice(text.hash) : nodesChoice(text.nodes);
    setProblem("problem" in read ? read.problem : undefined);
    if (!("problem" in read)) onChoice(read);
  };
  return (
    <Panel title={words.title}>
      <p className={style.soft}>{words.lead}</p>
      <Form onSubmit={submit} className={style.form}>
        <Choices
          label={words.from}
          value={from}
          onChange={choose}
          choices={sources.map((value) => ({ value, label: words[value] }))}
        />
        {from === "nodes" && (
          <TextBox
            label={words.urls}
            hint={words.urlsHint}
            problem={problem}
            value={text.nodes}
            onChange={(nodes) => type({ nodes })}
            placeholder="https://node.example/v1"
            rows={3}
            autoComplete="off"
          />
        )}
        {from === "hash" && (
          <TextInput
            label={words.hashLabel}
            problem={problem}
            value={text.hash}
            onChange={(hash) => type({ hash })}
            autoComplete="off"
          />
        )}
        {from !== "nowhere" && <Button type="submit">{words.check}</Button>}
      </Form>
    </Panel>
  );
}

function nodesChoice(text: string): BlockChoice | { problem: string } {
  const read = readNodeUrls(text);
  if ("wrong" in read) return { problem: words.urlWrong(read.wrong) };
  if ("tooMany" in read) return { problem: words.urlsTooMany(read.tooMany, mostNodes) };
  return read.urls.length === 0 ? { problem: words.urlMissing } : { from: "nodes", urls: read.urls };
}

function hashChoice(text: string): BlockChoice | { problem: string } {
  const hash = readBlockHash(text);
  return hash === undefined ? { problem: words.hashWrong } : { from: "hash", hash };
}
