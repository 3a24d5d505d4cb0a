import { useQuery } from "@tanstack/react-query";
import { type PublicAsset, type RegistryClient, RegistryError } from "asset-registry-client";
import { useState } from "react";
import type { Digests } from "../../file/digests.ts";
import { Button } from "../../parts/Button.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { registry } from "../../service/client.ts";
import { problemInWords } from "../../service/problem-words.ts";
import { texts } from "../../texts/texts.ts";
import { AssetFacts } from "./AssetFacts.tsx";
import type { BlockChoice } from "./block/block-choice.ts";
import { ProofCheck } from "./proof/ProofCheck.tsx";
import { compareContent, contentVerdict, type Subject } from "./proof/verdict.ts";
import style from "./verify.module.css";
import { Waiting } from "./Waiting.tsx";

const words = texts.verify;
/** Most links of an asset that one proof tells of. */
const mostLinks = 50;

type FoundAssetProps = {
  asset: PublicAsset;
  digests: Digests | undefined;
  subject: Subject;
  choice: BlockChoice;
  /** Fetches the proof without being asked. */
  isChecked: boolean;
};

/** An asset that the service tells of, with its proof fetched and verified in this page. */
export function FoundAsset({ asset, digests, subject, choice, isChecked }: FoundAssetProps) {
  const [isWanted, setWanted] = useState(isChecked);
  const { data, error } = useQuery({
    queryKey: ["proof", asset.id],
    queryFn: ({ signal }) => fetchProof(registry, asset.id, signal),
    enabled: isWanted && asset.final,
    staleTime: 60_000,
  });
  if (!isWanted) {
    return (
      <div className={style.outcome}>
        <AssetFacts asset={asset} />
        <Button onPress={() => setWanted(true)}>{words.checkThis}</Button>
      </div>
    );
  }
  if (error !== null || !asset.final) return <Unproven {...{ asset, error, digests, subject }} />;
  if (data === undefined) return <Waiting>{words.proving}</Waiting>;
  return (
    <ProofCheck document={data.document} source={data.source} {...{ digests, subject, choice, asset }} />
  );
}

/** The proof of an asset and of the links that it has or had, as text. */
async function fetchProof(
  client: RegistryClient,
  id: string,
  signal: AbortSignal,
): Promise<{ document: string; source: string }> {
  const links = await client.publicLinks(id, { signal });
  const children = [...new Set(links.to.map((link) => link.id))].slice(0, mostLinks);
  const document = JSON.stringify((await client.publicProof(id, children, { signal })) ?? null);
  return { document, source: crypto.getRandomValues(new Uint32Array(4)).join() };
}

type UnprovenProps = {
  asset: PublicAsset;
  error: Error | null;
  digests: Digests | undefined;
  subject: Subject;
};

/** What can be said of an asset without a proof: whether the file has the hash that the service tells. */
function Unproven({ asset, error, digests, subject }: UnprovenProps) {
  // The service's word on what is final may change between two answers.
  const isEarly = error === null || (error instanceof RegistryError && error.code === "ASSET_NOT_FINAL");
  const content = digests && compareContent(asset, digests);
  const { tone, title, meaning } = contentVerdict(content, !isEarly, subject);
  return (
    <div className={style.outcome}>
      <Notice tone={tone} title={title}>
        {meaning}
        {!isEarly && <p>{words.cannot.proof(problemInWords(error))}</p>}
      </Notice>
      <AssetFacts asset={asset} />
    </div>
  );
}
