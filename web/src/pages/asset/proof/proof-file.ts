import type { Proof } from "asset-registry-client";

/** Name of the file of a proof: by asset and block, so that several stand beside each other. */
export const proofFileName = ({ asset, block }: Proof): string =>
  `asset-${asset.id.slice(2, 14)}-block-${block.number}.proof.json`;

/** A proof as a file of JSON that people can look into. */
export const proofText = (proof: Proof): string => `${JSON.stringify(proof, null, 2)}\n`;
