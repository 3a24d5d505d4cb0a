import type { Dropped, ProofDocument } from "./dropped.ts";
import type { Written } from "./written.ts";

/** What the visitor wants to know of: a file, a proof, a pasted id or hash, or a file against one of these. */
export type Question = { file?: File; document?: ProofDocument; written?: Written };

/**
 * The question with what was dropped in it. A pasted id stays where it is an asset's, so that the file is compared with
 * it; a proof stands for its own asset.
 */
export function withDropped(question: Question, dropped: Dropped, isAssetKnown: boolean): Question {
  const file = dropped.file ?? question.file;
  const document = dropped.document ?? question.document;
  const written = isAssetKnown && dropped.document === undefined ? question.written : undefined;
  return { ...(file && { file }), ...(document && { document }), ...(written && { written }) };
}
