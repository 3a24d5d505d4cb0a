export { checksumAddress } from "./bytes/address.ts";
export { computeAssetId, computeContentHash, type IdentifiedAsset } from "./compute-asset-id.ts";
export { ProofError, type ProofErrorCode } from "./document/error.ts";
export { explanation } from "./document/explanation.ts";
export { type AssetText, assetTexts, type Proof, proofFormat, proofVersion } from "./document/format.ts";
export { readProof } from "./document/read.ts";
export { type ByteSource, type HashedFile, type HashOptions, hashFile } from "./file-hash/hash-file.ts";
export { createHasher, type Hasher } from "./file-hash/hasher.ts";
export { type HashMethod, hashMethods, methodName, readMethod } from "./file-hash/method-names.ts";
export {
  compareHash,
  type FileHash,
  type HashVerdict,
  type KnownHash,
  readFileHash,
  readStoredHash,
} from "./file-hash/methods.ts";
export { mostVariantBytes, type TextVariant, textVariants } from "./file-hash/text-variants.ts";
export { weaknessOf } from "./file-hash/weak-methods.ts";
export type { Given, TrustedBlock } from "./given.ts";
export {
  agreedBlock,
  type BlockPlace,
  type NodeBlock,
  type NodeQuestions,
  type NodeResults,
  type NoNodeBlock,
  nodeBlock,
  nodeQuestions,
  readQuantity,
} from "./nodes/node-block.ts";
export {
  mostNodeAnswerBytes,
  type NodeAnswer,
  type NodeCall,
  nodeCall,
  readNodeAnswer,
  readNodeText,
} from "./nodes/node-call.ts";
export { registryAddress } from "./registry/genuine.ts";
export { type CheckCode, codes, type Outcome } from "./result/codes.ts";
export {
  type Check,
  type CheckName,
  checkNames,
  type ProvenAsset,
  type ProvenBlock,
  type ProvenLink,
  type Result,
} from "./result/result.ts";
export { verifyDocument, verifyProof } from "./verify.ts";
export { verifyFile } from "./verify-file.ts";
