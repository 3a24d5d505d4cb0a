import { useMutation } from "@tanstack/react-query";
import type { PublicAsset } from "asset-registry-client";
import { useState } from "react";
import { Checkbox, CheckboxGroup, Label } from "react-aria-components";
import { limits } from "../../../../../domain/limits.ts";
import { Button } from "../../../parts/Button.tsx";
import { ForeignText } from "../../../parts/ForeignText.tsx";
import { shortHex } from "../../../parts/HexValue.tsx";
import { Notice } from "../../../parts/Notice.tsx";
import { Panel } from "../../../parts/Panel.tsx";
import { registry } from "../../../service/client.ts";
import { problemInWords } from "../../../service/problem-words.ts";
import { texts } from "../../../texts/texts.ts";
import type { Names } from "../links/neighbours.ts";
import type { Links } from "../links/useLinks.ts";
import style from "./Proof.module.css";
import { proofFileName, proofText } from "./proof-file.ts";
import { saveFile } from "./save-file.ts";

const words = texts.asset.proof;

/** Makes the file by which anybody checks an asset without this service, with the links that are chosen. */
export function ProofPanel({ asset, links, names }: { asset: PublicAsset; links: Links; names: Names }) {
  const { id, final, inexact } = asset;
  const [chosen, setChosen] = useState<string[]>([]);
  const proof = useMutation({
    mutationFn: () => registry.publicProof(id, chosen),
    onSuccess: (made) => saveFile(proofFileName(made), proofText(made), "application/json"),
  });
  const isPossible = final && inexact === undefined;
  return (
    <div id="proof">
      <Panel title={words.title}>
        <p>{words.lead}</p>
        {!final && <Notice tone="warn">{words.notFinal}</Notice>}
        {inexact !== undefined && <Notice tone="warn">{words.inexact}</Notice>}
        {isPossible && <LinkChoice links={links} names={names} chosen={chosen} onChange={setChosen} />}
        {isPossible && (
          <p className={style.ways}>
            <Button kind="primary" onPress={() => proof.mutate()} isBusy={proof.isPending}>
              {words.download}
            </Button>
            <a href={`/console/verify?asset=${id}`}>{texts.asset.verify}</a>
          </p>
        )}
        <div role="status">
          {proof.isSuccess && <p>{words.done(proofFileName(proof.data), proof.data.block.number)}</p>}
          {proof.isError && (
            <Notice tone="warn" title={words.failed}>
              {problemInWords(proof.error)}
            </Notice>
          )}
        </div>
      </Panel>
    </div>
  );
}

type LinkChoiceProps = {
  links: Links;
  names: Names;
  chosen: string[];
  onChange(chosen: string[]): void;
};

/** Which links from the asset the proof shows: that they stand, or that they were revoked. */
function LinkChoice({ links, names, chosen, onChange }: LinkChoiceProps) {
  const all = [...links.to, ...links.revoked.filter(({ direction }) => direction === "to")];
  const children = [...new Map(all.map((row) => [row.id, row])).values()];
  if (children.length === 0) return null;
  const isFull = chosen.length >= limits.proofLinks;
  return (
    <details className={style.links}>
      <summary>{words.links(chosen.length)}</summary>
      <CheckboxGroup value={chosen} onChange={onChange} className={style.group}>
        <Label>{words.choose(limits.proofLinks)}</Label>
        {children.map(({ id, revokedOn }) => (
          <Checkbox key={id} value={id} isDisabled={isFull && !chosen.includes(id)} className={style.choice}>
            <span className={style.box} aria-hidden="true" />
            <span>
              {names.get(id) === undefined ? null : (
                <ForeignText text={names.get(id) ?? ""} most={80} brief />
              )}{" "}
              <code>{shortHex(id)}</code>
              {revokedOn !== undefined && ` ${words.revoked}`}
            </span>
          </Checkbox>
        ))}
      </CheckboxGroup>
    </details>
  );
}
