import { useQuery } from "@tanstack/react-query";
import { RegistryError } from "asset-registry-client";
import { useEffect, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { FileDrop } from "../../file/FileDrop.tsx";
import { prepareHashing } from "../../file/hash-in-worker.ts";
import { useDigests } from "../../file/useDigests.ts";
import { Panel } from "../../parts/Panel.tsx";
import { registry } from "../../service/client.ts";
import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";
import { BlockForm } from "./block/BlockForm.tsx";
import type { BlockChoice } from "./block/block-choice.ts";
import { Chosen } from "./Chosen.tsx";
import { readDropped } from "./dropped.ts";
import { createOrder } from "./in-order.ts";
import { everyMethod, firstMethods, methodsOf } from "./methods.ts";
import { PasteForm } from "./PasteForm.tsx";
import { readable } from "./proof/check-proof.ts";
import { type Question, withDropped } from "./question.ts";
import { Result } from "./Result.tsx";
import { readAssetId } from "./written.ts";

const words = texts.verify;

/** Milliseconds after which an asset that is not final yet is asked for again. */
const AGAIN = 5_000;

/** Says whether a file is registered, by whom and when, and checks the proof of it in this page. */
export function VerifyPage() {
  useEffect(prepareHashing, []);
  const [search] = useSearchParams();
  const [question, setQuestion] = useState<Question>(() => asked(search.get("asset")));
  const [isThorough, setThorough] = useState(false);
  const [choice, setChoice] = useState<BlockChoice>({ from: "nowhere" });
  const [order] = useState(createOrder);
  const { file, document, written } = question;

  const assetId = document === undefined ? written?.assetId : undefined;
  const lookup = useQuery({
    queryKey: ["public asset", assetId],
    queryFn: ({ signal }) => registry.publicAsset(assetId ?? "", { signal }),
    enabled: assetId !== undefined,
    refetchInterval: ({ state }) => (state.data?.final === false ? AGAIN : false),
  });
  const asset = assetId === undefined ? undefined : lookup.data;
  const proof = useMemo(() => document && readable(document.bytes), [document]);
  const compared = proof?.asset ?? asset;

  const needed = useMemo(() => {
    if (file === undefined || (assetId !== undefined && lookup.isPending)) return undefined;
    if (compared !== undefined) return methodsOf(compared);
    return isThorough ? everyMethod : firstMethods(file);
  }, [file, assetId, lookup.isPending, compared, isThorough]);
  const hashing = useDigests(file, needed);

  const ask = (next: Question) => {
    order.beginAnew();
    setThorough(false);
    setQuestion(next);
  };
  const isUnknown = lookup.error instanceof RegistryError && lookup.error.code === "ASSET_NOT_FOUND";
  const drop = (files: File[]) =>
    order.take(readDropped(files), (dropped) => {
      setThorough(false);
      setQuestion((current) => withDropped(current, dropped, isUnknown));
    });
  const isEmpty = file === undefined && document === undefined && written === undefined;

  return (
    <Page title={words.title} lead={words.lead}>
      <FileDrop
        title={isEmpty ? words.drop.title : words.drop.another}
        hint={isEmpty ? words.drop.hint : undefined}
        isSmall={!isEmpty}
        most={2}
        onFiles={drop}
      />
      <PasteForm onWritten={(next) => ask({ written: next })} />
      {!isEmpty && <Chosen question={question} asset={asset} hashing={hashing} onChange={ask} />}
      {!isEmpty && (
        <Panel title={words.result}>
          <div aria-live="polite">
            <Result
              question={question}
              hashing={hashing}
              lookup={{ asset, isUnknown, error: assetId === undefined ? null : lookup.error }}
              compared={compared}
              choice={choice}
              onMore={isThorough ? undefined : () => setThorough(true)}
            />
          </div>
        </Panel>
      )}
      <BlockForm onChoice={setChoice} />
    </Page>
  );
}

/** The question of a link to this page. */
function asked(asset: string | null): Question {
  const assetId = asset === null ? undefined : readAssetId(asset.trim());
  return assetId === undefined ? {} : { written: { assetId, digests: new Map() } };
}
