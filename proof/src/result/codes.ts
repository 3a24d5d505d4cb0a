/**
 * Codes of checks, the same in later releases, by the outcome that each has. README.md of this package says when each
 * is given, and a test compares the two.
 */
export const codes = {
  valid: [
    ...["file-matches", "id-matches", "author-matches", "registered", "included", "links-proven"],
    "trusted-block",
  ],
  invalid: [
    ...["file-differs", "id-differs", "author-differs", "registered-after-block"],
    ...["account-proof-broken", "no-registry", "account-malformed", "asset-proof-broken", "not-registered"],
    ...["creation-cancelled", "record-malformed", "another-registry"],
    ...["link-proof-broken", "link-malformed"],
    ...["header-hash-differs", "header-malformed", "header-differs", "another-block"],
  ],
  "cannot check": [
    ...["no-file", "no-hash", "no-method", "unknown-method", "unreadable-hash", "another-method"],
    ...["unreadable-digest", "no-state-root", "unknown-registry", "unreadable-registry", "not-included"],
    ...["no-links", "link-missing", "no-trusted-block", "another-block-number", "unreadable-block-hash"],
    "unreadable-document",
  ],
} as const;

/** Outcome of a check. Only `invalid` speaks against the proof: `cannot check` is no sign of a forgery. */
export type Outcome = keyof typeof codes;

export type CheckCode<Of extends Outcome = Outcome> = (typeof codes)[Of][number];
