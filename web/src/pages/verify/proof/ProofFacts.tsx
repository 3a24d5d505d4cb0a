import { type Fact, FactList } from "../../../parts/FactList.tsx";
import { ForeignText } from "../../../parts/ForeignText.tsx";
import { HexValue } from "../../../parts/HexValue.tsx";
import { Time } from "../../../parts/Time.tsx";
import { texts } from "../../../texts/texts.ts";
import { AssetLink } from "../AssetFacts.tsx";
import type { Checked } from "./check-proof.ts";
import { instantOf } from "./service-word.ts";

const words = texts.verify.facts;

/** The facts that a proof shows, as far as it shows them. */
export function ProofFacts({ checked: { result, proof } }: { checked: Checked }) {
  const { asset, block } = result;
  const isNamed = result.checks.some(({ name, outcome }) => name === "id" && outcome === "valid");
  const facts: Fact[] = [];
  if (isNamed && proof)
    facts.push({ name: words.name, value: <ForeignText text={proof.asset.name} most={200} /> });
  if (asset !== undefined) {
    facts.push(
      { name: words.author, value: <HexValue value={asset.author} label={words.author} /> },
      { name: words.createdOn, value: <Time at={instantOf(asset.createdOn)} /> },
      { name: words.asset, value: <AssetLink id={asset.id} /> },
      { name: words.chain, value: String(asset.chainId) },
      { name: words.registry, value: <HexValue value={asset.registry} label={words.registry} /> },
    );
  }
  if (block !== undefined) {
    facts.push(
      { name: words.provenAt, value: `${block.number}` },
      { name: words.source, value: <ForeignText text={block.source ?? words.sourceNone} /> },
    );
  }
  return facts.length === 0 ? null : <FactList facts={facts} />;
}
