import { useQuery } from "@tanstack/react-query";
import { readStoredHash } from "asset-registry-proof";
import type { Digests } from "../../file/digests.ts";
import { registry } from "../../service/client.ts";
import { findAssets } from "../../service/find-assets.ts";
import { texts } from "../../texts/texts.ts";
import { AssetLink } from "./AssetFacts.tsx";
import { fileKey, findOtherBytes } from "./other-bytes.ts";

const words = texts.verify;

/** Says where the same text with other line ends or another byte order mark is registered. */
export function RegisteredVariant({ file }: { file: File }) {
  const { data } = useQuery({
    queryKey: ["registered variant", ...fileKey(file)],
    queryFn: ({ signal }) =>
      findOtherBytes(
        file,
        "sha256",
        async (digest) => {
          const { assets } = await findAssets(registry, new Map([["sha256", digest]]), signal);
          return assets[0]?.id;
        },
        signal,
      ),
    gcTime: 0,
  });
  if (data === undefined || data === null) return null;
  return (
    <p>
      {words.unknown.variant(data.words)}
      <AssetLink id={data.found} />
    </p>
  );
}

type SameTextProps = { file: File; digests: Digests; asset: { method: string; hash: string } };

/** Explains why a file differs from the one of an asset, where the same text in other bytes does not. */
export function SameText({ file, digests, asset }: SameTextProps) {
  const stored = readStoredHash(asset);
  const isOther = typeof stored !== "string" && digests.get(stored.method) !== stored.digits;
  const { data } = useQuery({
    queryKey: ["same text", ...fileKey(file), stored],
    queryFn: ({ signal }) =>
      typeof stored === "string"
        ? null
        : findOtherBytes(file, stored.method, (digest) => digest === stored.digits || undefined, signal),
    enabled: isOther,
    networkMode: "always",
    gcTime: 0,
  });
  return isOther && data ? <p>{words.sameText(data.words)}</p> : null;
}
