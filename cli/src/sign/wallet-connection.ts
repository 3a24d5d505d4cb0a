import { signTyped } from "micro-eth-signer";
import type { Io } from "../io.ts";
import { printable } from "../output/printable.ts";
import { Problem } from "../problem.ts";
import { requireConfirmed } from "./confirm.ts";
import type { Signer } from "./signer.ts";

/** Texts of a connection, in the order in which they are signed. */
const fields = ["statement", "service", "issuer", "user", "token", "expiration"] as const;
type Connection = Record<(typeof fields)[number], string>;

const statement = "I connect this address to this user of the Asset Registry.";

/**
 * Signs that an address belongs to a user of the service. The typed data is put together here: of what the service
 * asks for, only the texts of a connection are taken, and shown.
 * @param service URL that the user named: one that has the signature for another service could connect itself there
 * @throws Problem where it asks for anything else
 */
export async function signConnection(
  serialized: string,
  service: string,
  signer: Signer,
  io: Io,
): Promise<string> {
  const { chainId, message } = readConnection(serialized);
  const { key, registry, chain = chainId } = signer;
  if (chain !== chainId) throw other(`it is for chain ${chainId}, not ${chain}`);
  const lines = fields.map((name) => `  ${name.padEnd(12)}${printable(message[name])}`);
  io.stderr.write(`You sign as ${key.address}, on chain ${chain}:\n${lines.join("\n")}\n`);
  if (originOf(message.service) !== originOf(service)) {
    const text = `It connects you to ${printable(message.service)}, and you asked ${printable(originOf(service))}.`;
    if (signer.yes)
      throw new Problem(
        "another-service",
        `${text} Nothing was signed: name it by --connect-to if you mean it.`,
      );
    io.stderr.write(`Warning: ${text}\n`);
  }
  await requireConfirmed(signer, "Nothing was connected.", io);
  const types = {
    EIP712Domain: [
      { name: "name", type: "string" },
      { name: "version", type: "string" },
      { name: "chainId", type: "uint256" },
      { name: "verifyingContract", type: "address" },
    ],
    WalletConnection: fields.map((name) => ({ name, type: "string" })),
  } as const;
  const domain = {
    name: "Asset Registry",
    version: "1",
    chainId: BigInt(chain),
    verifyingContract: registry,
  };
  const typed = { types, primaryType: "WalletConnection", domain, message };
  return signTyped(typed as never, `0x${Buffer.from(key.privateKey).toString("hex")}`);
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "no service");

function readConnection(serialized: string): { chainId: number; message: Connection } {
  let value: { domain?: { chainId?: unknown }; message?: Partial<Record<string, unknown>> } | null;
  try {
    value = JSON.parse(serialized);
  } catch {
    throw other("it is no JSON");
  }
  const { domain, message } = value ?? {};
  const chainId = domain?.chainId;
  if (typeof chainId !== "number" || !Number.isSafeInteger(chainId)) throw other("it names no chain");
  const missing = fields.find((name) => typeof message?.[name] !== "string");
  if (missing !== undefined) throw other(`it has no ${missing}`);
  if (message?.["statement"] !== statement) throw other("its statement is another one");
  return { chainId, message: message as Connection };
}

const other = (what: string): Problem =>
  new Problem(
    "not-as-asked",
    `The service asks to sign something else than a wallet's connection: ${what}. Nothing was signed.`,
  );
