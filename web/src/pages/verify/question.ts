import type { Dropped, ProofDocument } from "./dropped.ts";
import type { Written } from "./written.ts";

/** What the visitor wants to know of: a file, a proof, a pasted id or hash, or a file against one of these. */
export type Question = { file?: File; document?: ProofDocument; written?: Written };

/**
 * The question with what was dropped in it. An id stays, so that the file is compared with its asset, unless it has turned
 * out to be none and may have been a hash; a proof stands for its own asset.
 */
export function withDropped(question: Question, dropped: Dropped, isNoAsset: boolean): Question {
  const file = dropped.file ?? question.file;
  const document = dropped.document ?? question.document;
  const { written } = question;
  const isHash = written?.assetId === undefined || (isNoAsset && written.digests.size > 0);
  return {
    ...(file && { file }),
    ...(document && { document }),
    ...(written && !isHash && dropped.document === undefined && { written }),
  };
}
