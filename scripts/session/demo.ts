import type { Address, Hex } from "viem";
import type { Asset, LinkSet, RegistryEvent, RequestEvent } from "../../client/src/client.ts";
import { type AssetState, isRevoked } from "../../domain/request/state.ts";
import { compareHash } from "../../proof/src/file-hash/methods.ts";
import { hashOfChangedCopy, readDocument } from "./document.ts";
import { readFromChain, recomputeId } from "./proof.ts";
import { type Service, SessionError } from "./service.ts";
import { readToSign, sign } from "./wallet.ts";

type Made = { id: Hex; transactionId: string; state: AssetState };

const followSeconds = 180;
/** Milliseconds between two polls where no stream of events comes through. */
const interval = 300;

/**
 * Registers, links and revokes through the public API alone, then checks the result on the chain.
 * @throws SessionError at the first unexpected answer
 */
export async function runDemo(service: Service, file: string): Promise<void> {
  const { client } = service;
  const say = createNarrator();
  /** Requests with the states of them that are told already. */
  const said = new Set<string>();
  const [author] = service.keys.keys();
  if (author === undefined) throw new SessionError("There is no key to sign with: set AUTHOR_KEY.");

  const document = await readDocument(file);
  say("hashed", `${document.fileName}, ${document.fileSize} bytes, ${document.method} ${document.hash}`);

  const original = report(
    "registered",
    await client.createAsset({
      name: `Demo: ${document.fileName}`.slice(0, 200),
      author,
      data: "The original document",
      ...document,
    }),
  );
  await approve(original);
  await follow(original, "Confirmed");

  const amendment = report("registered", await client.createAsset({ name: "Demo: an amendment", author }));
  await approve(amendment);
  await follow(amendment, "Committed");

  const link = report("requested a link", await client.link(original.id, [amendment.id]));
  await approve(link);
  await follow(link, "Committed");
  await expectLinks(original.id, { from: [], to: [amendment.id] });
  await expectLinks(amendment.id, { from: [original.id], to: [] });

  const revocation = report(
    "requested its revocation",
    await client.revokeLinks(original.id, [amendment.id]),
  );
  await approve(revocation);
  await follow(revocation, "Committed");
  await expectLinks(original.id, { from: [], to: [] });
  await expectLinks(amendment.id, { from: [], to: [] });

  const asset = await client.asset(original.id);
  await expectVerdict("the file", asset, document.hash, "match");
  await expectVerdict("a changed copy", asset, await hashOfChangedCopy(file), "mismatch");
  await lookBehind(asset);
  say("done", `the asset ${original.id} is registered; GET ${service.url}/assets/${original.id} shows it`);

  function report(what: string, made: Made): Made {
    say(what, `asset ${made.id}, state ${made.state}, transaction ${made.transactionId}`);
    said.add(`${made.transactionId} ${made.state}`);
    return made;
  }

  /** Reads the transaction, signs it as the author and submits it. */
  async function approve({ transactionId }: Made): Promise<void> {
    const wanted = await readToSign(service, transactionId);
    say("to be signed", wanted.summary.replaceAll(/\s+/g, " "));
    const signedTransaction = await sign(service, wanted);
    const done = await client.submit(transactionId, { signedTransaction });
    say("signed", `state ${done.state}, transaction hash ${done.transactionHash}`);
    said.add(`${transactionId} ${done.state}`);
  }

  /** Tells each state that the request reaches, as the service tells of it. */
  async function follow({ id, transactionId }: Made, goal: AssetState): Promise<void> {
    const signal = AbortSignal.timeout(followSeconds * 1000);
    let last: AssetState = "Received";
    try {
      for await (const event of client.events({ transactionId, replay: true, interval, signal })) {
        if (!isOfRequest(event)) continue;
        const { state, reason, transactionHash } = event.data;
        last = state;
        if (!said.has(`${transactionId} ${state}`))
          say("now", `asset ${id}, state ${state}, transaction hash ${transactionHash ?? "none yet"}`);
        if (state === goal || (goal === "Committed" && state === "Confirmed")) return;
        if (isRevoked(state)) throw new SessionError(`It ended as ${state} (${reason ?? "no reason"}).`);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new SessionError(`It is not ${goal} after ${followSeconds} s, but ${last}.`);
    }
  }

  async function expectLinks(id: string, expected: LinkSet): Promise<void> {
    const links = await client.links(id);
    say("links", `asset ${id}: from [${links.from.join(", ")}] to [${links.to.join(", ")}]`);
    if (JSON.stringify(links) !== JSON.stringify(expected)) {
      throw new SessionError(`The links should be ${JSON.stringify(expected)}.`);
    }
  }

  /** Checks without trusting the service: the id proves the content, the chain the registration. */
  async function lookBehind(asset: Asset): Promise<void> {
    const served = await client.status();
    const address = service.registry ?? (served.registry as Address);
    const registry = { address, chainId: served.chainId ?? 0 };
    const own = recomputeId(asset, registry);
    say("recomputed", `the answered author, salt and texts give the id ${own} on chain ${registry.chainId}`);
    const { rpcUrl } = service;
    if (rpcUrl === undefined)
      return say("not looked up", "set RPC_URL to read the asset from the chain itself");
    const since = (await readFromChain(asset, registry, rpcUrl)).toISOString();
    say("on the chain", `the registry ${address} itself says: ${own} is of ${asset.author}, since ${since}`);
  }

  async function expectVerdict(what: string, asset: Asset, digest: string, expected: string): Promise<void> {
    const item = (key: string) => asset.customDefinitionItems.find((one) => one.key === key)?.value ?? "";
    const stored = { method: item("method"), hash: item("hash") };
    const verdict = await compareHash(stored, () => digest);
    say("compared", `${what} with asset ${asset.id}, state ${asset.state}: ${verdict}`);
    if (verdict !== expected) throw new SessionError(`It should be a ${expected}.`);
  }
}

const isOfRequest = (event: RegistryEvent): event is RequestEvent => event.kind.startsWith("request.");

function createNarrator() {
  let step = 0;
  return (what: string, text: string) => {
    step += 1;
    console.log(`${String(step).padStart(2)}  ${what.padEnd(15)}  ${text}`);
  };
}
