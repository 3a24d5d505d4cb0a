import { useQuery } from "@tanstack/react-query";
import { RegistryError } from "asset-registry-client";
import type { Proof } from "asset-registry-proof";
import { Notice } from "../../../parts/Notice.tsx";
import { registry } from "../../../service/client.ts";
import { useSettings } from "../../../service/settings.ts";
import { texts } from "../../../texts/texts.ts";
import type { Checked } from "./check-proof.ts";
import { contradicts, isOfService } from "./service-word.ts";

const words = texts.verify.service;

/** What this service knows of the asset of a proof that it did not give: anybody can put a proof together. */
export function ServiceWord({ checked, proof }: { checked: Checked; proof: Proof }) {
  const settings = useSettings();
  const isHere = isOfService(proof, settings);
  const id = proof.asset.id.toLowerCase();
  const { data, error } = useQuery({
    queryKey: ["public asset", id],
    queryFn: ({ signal }) => registry.publicAsset(id, { signal }),
    enabled: isHere,
  });
  if (!isHere) {
    return (
      <Notice tone="warn" title={words.elsewhere}>
        {words.elsewhereMeaning(proof.chainId, proof.registry)}
      </Notice>
    );
  }
  if (data !== undefined) {
    return contradicts(checked, data) ? (
      <Notice tone="bad" title={words.differs}>
        {words.differsMeaning}
      </Notice>
    ) : (
      <Notice title={words.same}>{words.sameMeaning}</Notice>
    );
  }
  if (error instanceof RegistryError && error.code === "ASSET_NOT_FOUND") {
    return (
      <Notice tone="warn" title={words.unknown}>
        {words.unknownMeaning}
      </Notice>
    );
  }
  return error === null ? null : <Notice tone="warn" title={words.unasked} />;
}
