import { equal, keccak256 } from "../bytes/bytes.ts";
import { fromHex, toHex } from "../bytes/hex.ts";
import type { ParsedProof } from "../document/parse.ts";
import type { TrustedBlock } from "../given.ts";
import { type Header, readHeader } from "../header.ts";
import { type Finding, invalid, unchecked, valid } from "../result/result.ts";
import { inUtc } from "../result/time.ts";

/** The check, and the header where the block's hash covers it. */
export type BlockFinding = { finding: Finding; header: Header | undefined };

/** Checks that the header is the block's, and that the block is the trusted one. */
export function checkBlock({ block }: ParsedProof, trusted: TrustedBlock | undefined): BlockFinding {
  if (!equal(keccak256(block.header), block.hash)) {
    const reason = "The header does not hash to the block's hash that stands beside it.";
    return { finding: invalid("header-hash-differs", reason), header: undefined };
  }
  const header = readHeader(block.header);
  if (header === undefined) {
    const reason =
      "What hashes to the block's hash is no header with a state root, a number and a timestamp.";
    return { finding: invalid("header-malformed", reason), header };
  }
  return { finding: compare(block, header, trusted), header };
}

function compare(block: ParsedProof["block"], header: Header, trusted: TrustedBlock | undefined): Finding {
  const { number, timestamp } = header;
  if (number !== block.number || timestamp !== block.timestamp) {
    return invalid(
      "header-differs",
      `The header is of block ${number} with timestamp ${timestamp}, and the proof says block ${block.number} with timestamp ${block.timestamp}.`,
    );
  }
  const hash = toHex(block.hash);
  if (trusted === undefined) {
    return unchecked(
      "no-trusted-block",
      `Whether block ${number} of the chain has the hash ${hash} was not checked: no source that you trust was given.`,
    );
  }
  const trustedHash = fromHex(trusted.hash.toLowerCase());
  if (trustedHash?.length !== 32) {
    return unchecked(
      "unreadable-block-hash",
      "The hash that you trust is none: it must be 0x and 64 hex digits.",
    );
  }
  if (equal(trustedHash, block.hash)) {
    return valid(
      "trusted-block",
      `Block ${number} of ${inUtc(timestamp)} has the hash that you trust (${trusted.source}).`,
    );
  }
  if (trusted.number !== undefined && trusted.number !== number) {
    return unchecked(
      "another-block-number",
      `The proof is of block ${number}, and the hash that you trust (${trusted.source}) is of block ${trusted.number}.`,
    );
  }
  return invalid(
    "another-block",
    `The proof is of a block with the hash ${hash}, and the hash that you trust (${trusted.source}) is ${toHex(trustedHash)}.`,
  );
}
