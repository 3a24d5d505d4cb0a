import { useQuery } from "@tanstack/react-query";
import type { PublicAsset } from "asset-registry-client";
import type { Digests } from "../../../file/digests.ts";
import { texts } from "../../../texts/texts.ts";
import type { BlockChoice } from "../block/block-choice.ts";
import { Waiting } from "../Waiting.tsx";
import { checkProof } from "./check-proof.ts";
import { ProofOutcome } from "./ProofOutcome.tsx";
import type { Subject } from "./verdict.ts";

type ProofCheckProps = {
  document: Uint8Array | string;
  /** Tells this document apart from others. */
  source: string;
  digests: Digests | undefined;
  subject: Subject;
  choice: BlockChoice;
  /** What the service says of the asset, where it was asked. */
  asset?: PublicAsset;
};

/** Verifies a proof in this page, and shows what came of it. */
export function ProofCheck({ document, source, digests, subject, choice, asset }: ProofCheckProps) {
  const { data, error } = useQuery({
    queryKey: ["check of a proof", source, digests && [...digests], choice],
    queryFn: ({ signal }) => checkProof(document, digests, choice, signal),
    // Nothing of it is the service's: it works offline, once, and is not kept.
    networkMode: "always",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  if (error !== null) throw error;
  if (data === undefined) return <Waiting>{texts.verify.checking}</Waiting>;
  return <ProofOutcome checked={data} subject={subject} asset={asset} />;
}
