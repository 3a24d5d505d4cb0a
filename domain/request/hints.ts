/** Reasons that delay a transaction. A hint is shown beside the state and does not change it. */
export const hints = {
  NOT_SEEN: "the node has not had it since then: whoever holds the signed transaction can send it again",
  FEE_BELOW_BASE_FEE:
    "its fee has been below the chain's base fee since then: it waits until that falls, or until one with the " +
    "same nonce and a higher fee replaces it",
} as const;

export type Hint = { code: keyof typeof hints; since: Date };
