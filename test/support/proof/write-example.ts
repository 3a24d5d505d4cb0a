import { writeFile } from "node:fs/promises";
import { proofChains } from "./chains.ts";
import { realProofs } from "./real-proofs.ts";

// Writes docs/proof-example.json anew, which has to be done when the registry's address changes.
const start = proofChains["Hardhat"];
if (start === undefined) throw new Error("There is no chain to prove on");
const chain = await start();
const { "links in every state": proof } = await realProofs(chain);
await chain.release();
const file = new URL("../../../docs/proof-example.json", import.meta.url);
await writeFile(file, `${JSON.stringify(proof, null, 2)}\n`);
