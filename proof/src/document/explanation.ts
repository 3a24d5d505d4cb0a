/** Words for people that stand in each document of this version. */
export const explanation =
  "This proof shows, to whoever trusts the hash of its block, that an asset with exactly these texts was registered " +
  "by this author at the time in the registry's record, and what each of its links was at that block: standing, " +
  "revoked or never added. It does not show that the block belongs to the chain (compare its hash with a source of " +
  "your own), what happened after the block, which earlier times a link stood that was added again, where the event " +
  "is (that is only told), who is behind the author's address, or that the texts are true. docs/proof-format.md of " +
  "the registry's service says how to check it; nothing in this text is to be believed without that.";
