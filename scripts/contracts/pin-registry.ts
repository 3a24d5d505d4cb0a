import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Address, type Hex, keccak256 } from "viem";
import { build } from "../build.ts";
import { addressOf, FACTORY, SALT } from "../deployment/create2.ts";
import { DEPLOYMENTS } from "../deployment/record.ts";
import { compiledRegistry } from "./compiled-registry.ts";

const usage = `Usage: npm run pin

Accepts the registry's creation code as it compiles now. A changed byte gives the registry another address on every
chain, so a test compares the code with deployments/registry.json, and this command is the only thing that writes it.
It puts the new hash and address into docs/ too.`;

/** The pinned creation code of a release, and with it the registry's address. */
export type Pin = { creationCodeHash: Hex; factory: Address; salt: Hex; address: Address };

export const pinFile = join(DEPLOYMENTS, "registry.json");

/** The pin that the contract as it was compiled last would have. */
export async function compiledPin(): Promise<Pin> {
  const creationCodeHash = keccak256((await compiledRegistry()).bytecode);
  return { creationCodeHash, factory: FACTORY, salt: SALT, address: addressOf(creationCodeHash, SALT) };
}

/** Files that name the address or the hash. */
export async function pinnedDocuments(): Promise<string[]> {
  const docs = join(import.meta.dirname, "..", "..", "docs");
  const descriptors = await readdir(join(docs, "clear-signing"));
  return [join(docs, "deployment.md"), ...descriptors.map((name) => join(docs, "clear-signing", name))];
}

async function main(): Promise<void> {
  await build({ noTests: true });
  const pin = await compiledPin();
  const old = JSON.parse(await readFile(pinFile, "utf8").catch(() => "{}")) as Partial<Pin>;
  await writeFile(pinFile, `${JSON.stringify(pin, undefined, 2)}\n`);
  for (const file of await pinnedDocuments()) {
    const text = await readFile(file, "utf8");
    const renewed = text
      .replaceAll(old.address ?? pin.address, pin.address)
      .replaceAll(old.creationCodeHash ?? pin.creationCodeHash, pin.creationCodeHash);
    if (renewed !== text) await writeFile(file, renewed);
  }
  console.log(`creation code ${pin.creationCodeHash}\naddress       ${pin.address}`);
}

if (import.meta.main) {
  if (process.argv.includes("--help")) console.log(usage);
  else await main();
}
