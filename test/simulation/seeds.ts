/**
 * Seeds that found a fault, each with what it was: run by `npm test` for ever. A seed makes the same chain each
 * time; the machine decides when the indexer meets it, so one run without the fault proves little by itself.
 */
export const seedsThatFoundFaults: readonly { seed: number; blocks: number; fault: string }[] = [
  {
    seed: 4,
    blocks: 100,
    fault: "a block's logs were missed where a node called its receipts an empty list",
  },
];
