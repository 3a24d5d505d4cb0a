-- At which block a nonce was passed, in a few steps however many transactions the account has sent: an account's
-- nonce only rises, so the lowest one above stands in the first such block.
create index on chain.nonces (address, nonce, block_number);
