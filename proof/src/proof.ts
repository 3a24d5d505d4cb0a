export { ProofError, type ProofErrorCode } from "./document/error.ts";
export { type AssetText, assetTexts, type Proof, proofFormat, proofVersion } from "./document/format.ts";
export type { Given, TrustedBlock } from "./given.ts";
export {
  type Check,
  type CheckName,
  checkNames,
  type Outcome,
  type ProvenAsset,
  type ProvenBlock,
  type ProvenLink,
  type Result,
} from "./result/result.ts";
