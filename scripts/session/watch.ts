import { setTimeout as sleep } from "node:timers/promises";
import { formatEther, keccak256 } from "viem";
import { ConnectionError, RegistryError } from "../../client/src/client.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { type Kind, NotAsShownError, understand } from "./asked.ts";
import { createRulebook, type Leave, type Rules } from "./rules.ts";
import { inWords, isOutage, type Service, SessionError } from "./service.ts";
import { feeOf, readToSign, sign } from "./wallet.ts";

export type WatchOptions = {
  /** The address whose key this is. */
  signer: string;
  /** The one registry that it signs for; unknown: the one that the service serves when it begins. */
  registry: string | undefined;
  chainId: number | undefined;
  rules: Rules;
  /** Milliseconds between two polls of the inbox. */
  interval: number;
  say: (line: string) => void;
};

type Entry = { id: string; kind: Kind };

const PAGE = 200;
/** Bounds the pages that a misbehaving service can serve in one poll. */
const MOST_ENTRIES = 10_000;
const LONGEST_READING = 60_000;
const LONGEST_PAUSE = 60_000;

/**
 * Signs what waits for one address and keeps to the rules, until `signal` aborts. The service is believed in
 * nothing that the bytes do not say. Outages are waited out.
 * @throws SessionError where it could never sign anything: a key that the service refuses, another registry
 */
export async function watchInbox(
  service: Service,
  options: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  const { signer, rules, interval, say } = options;
  const { client } = service;
  const rulebook = createRulebook(rules);
  let reported = new Map<string, string>();
  let registry: Registry | undefined;
  let failures = 0;

  while (!signal.aborted) {
    let pause = interval;
    try {
      registry ??= await begin();
      await look(registry);
      if (failures > 0) say("the service answers again");
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!isOutage(error)) throw error;
      failures += 1;
      if (failures === 1) say(`${oneLine(inWords(error))} It is tried again and again.`);
      pause = Math.max(
        Math.min(LONGEST_PAUSE, interval * 2 ** Math.min(failures, 10)),
        error.retryAfter ?? 0,
      );
    }
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }

  async function begin(): Promise<Registry> {
    const status = await client.status({ signal });
    const served = { address: status.registry as Registry["address"], chainId: status.chainId ?? 0 };
    const wanted = {
      address: options.registry ?? served.address,
      chainId: options.chainId ?? served.chainId,
    };
    if (wanted.address !== served.address || wanted.chainId !== served.chainId) {
      throw new SessionError(
        `The service serves the registry ${served.address} on chain ${served.chainId}, and this was started ` +
          `for ${wanted.address} on chain ${wanted.chainId}.`,
      );
    }
    say(`signs for ${signer}, registry ${served.address} on chain ${served.chainId}`);
    return served;
  }

  /** Oldest first, because the nonces follow the order of signing. */
  async function look(of: Registry): Promise<void> {
    const waiting = (await received()).reverse();
    const ids = new Set(waiting.map(({ id }) => id));
    reported = new Map([...reported].filter(([id]) => ids.has(id)));
    for (const { id, kind } of waiting) {
      if (signal.aborted) return;
      if (isLeftStill(id, kind)) continue;
      const left = await handle(id, of);
      if (left === undefined || reported.get(id) === left.key) continue;
      reported.set(id, left.key);
      say(`leaves ${id}: ${oneLine(left.text)}`);
    }
  }

  /** A request that the rules refused for good is not read again. */
  function isLeftStill(id: string, kind: Kind): boolean {
    const why = reported.get(id);
    if (why === "hour") return rulebook.isFull(id);
    return why === "never" || (why === "kind" && !rules.allow.has(kind));
  }

  async function received(): Promise<Entry[]> {
    const entries: Entry[] = [];
    const query = { state: "Received", signer, size: PAGE };
    const limit = AbortSignal.timeout(LONGEST_READING);
    try {
      const within = { signal: AbortSignal.any([signal, limit]) };
      for await (const { id, kind } of client.transactions(query, within)) {
        if (entries.push({ id, kind }) === MOST_ENTRIES) break;
      }
    } catch (error) {
      if (signal.aborted || !limit.aborted) throw error;
      throw new ConnectionError(`The inbox has no end within ${LONGEST_READING / 1000} s.`, { cause: error });
    }
    return entries;
  }

  /** @returns why it is left, or undefined where it is signed or nothing waits any more */
  async function handle(id: string, of: Registry): Promise<Leave | undefined> {
    try {
      const wanted = await readToSign(service, id, signal);
      if (wanted.state !== "Received") return undefined;
      if (wanted.signer !== signer) return { key: "never", text: `it is for ${wanted.signer} to sign` };
      const { kind, text } = understand(wanted, of);
      const objection = rulebook.objection(id, kind, feeOf(wanted));
      if (objection !== undefined) return objection;
      if (wanted.gas === null) return { key: "gas", text: wanted.warning ?? "it would fail" };
      const signedTransaction = await sign(service, wanted, of);
      rulebook.recordSigned(id);
      const most = formatEther(BigInt(wanted.gas) * feeOf(wanted));
      await client.submit(id, { signedTransaction }, { signal });
      const hash = keccak256(signedTransaction);
      say(`signed ${id}: ${oneLine(text)}, nonce ${wanted.nextNonce}, at most ${most}, hash ${hash}`);
      return undefined;
    } catch (error) {
      if (signal.aborted || isOutage(error)) throw error;
      if (error instanceof RegistryError) return { key: error.code, text: inWords(error) };
      const problem = error instanceof Error ? error.message : String(error);
      const isLie = error instanceof NotAsShownError;
      return { key: "never", text: isLie ? `not as shown: ${problem}` : `it cannot be read: ${problem}` };
    }
  }
}

/** Texts of the service and of assets may hold anything; in a terminal they stay text on one line. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{C}/gu, "\u{fffd}");
}
