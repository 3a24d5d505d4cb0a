export { ProofError, type ProofErrorCode } from "./document/error.ts";
export { type AssetText, assetTexts, type Proof, proofFormat, proofVersion } from "./document/format.ts";
export { type ByteSource, type HashedFile, type HashOptions, hashFile } from "./file-hash/hash-file.ts";
export type { Hasher } from "./file-hash/hasher.ts";
export { type HashMethod, hashMethods, methodName, readMethod } from "./file-hash/method-names.ts";
export { compareHash, type FileHash, type HashVerdict, readFileHash } from "./file-hash/methods.ts";
export { weaknessOf } from "./file-hash/weak-methods.ts";
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
