import { setTimeout as sleep } from "node:timers/promises";
import type { Address, Hex } from "viem";
import { type AssetDetails, detailFields } from "../../domain/asset.ts";
import { compareHash } from "../../domain/hash-methods.ts";
import { type AssetState, isRevoked } from "../../domain/state.ts";
import { assetId } from "../../domain/typed-data.ts";
import { hashOfChangedCopy, readDocument } from "./document.ts";
import { type Service, SessionError } from "./service.ts";
import { sign, type ToSign } from "./wallet.ts";

type Made = { id: Hex; transactionId: string; state: AssetState };
type Links = { from: Hex[]; to: Hex[] };
type Asset = Made & {
  author: Address;
  salt: Hex;
  name: string;
  customDefinitionItems?: { key: string; value: string }[];
};

const followSeconds = 180;

/**
 * The main job from one end to the other, by the public API alone.
 * @throws SessionError at the first thing that is not as it should be
 */
export async function runDemo(service: Service, file: string): Promise<void> {
  const say = createNarrator();
  const [author] = service.keys.keys();
  if (author === undefined) throw new SessionError("There is no key to sign with: set AUTHOR_KEY.");

  const document = await readDocument(file);
  say("hashed", `${document.fileName}, ${document.fileSize} bytes, ${document.method} ${document.hash}`);

  const original = await request("registered", "POST", "/assets/", {
    name: `Demo: ${document.fileName}`.slice(0, 200),
    author,
    data: "The original document",
    ...document,
  });
  await approve(original);
  await follow(original, "Confirmed");

  const amendment = await request("registered", "POST", "/assets/", { name: "Demo: an amendment", author });
  await approve(amendment);
  await follow(amendment, "Committed");

  const targets = { targetAssetIds: [amendment.id] };
  const link = await request("asked to link", "POST", `/assets/${original.id}/links`, targets);
  await approve(link);
  await follow(link, "Committed");
  await expectLinks(original.id, { from: [], to: [amendment.id] });
  await expectLinks(amendment.id, { from: [original.id], to: [] });

  const revocation = await request("asked to revoke", "PATCH", `/assets/${original.id}/links`, targets);
  await approve(revocation);
  await follow(revocation, "Committed");
  await expectLinks(original.id, { from: [], to: [] });
  await expectLinks(amendment.id, { from: [], to: [] });

  const asset = await service.call<Asset>("GET", `/assets/${original.id}`);
  await expectVerdict("the file", asset, document.hash, "match");
  await expectVerdict("a changed copy", asset, await hashOfChangedCopy(file), "mismatch");
  await expectOwnId(asset);
  say("done", `the asset ${original.id} is registered; GET ${service.url}/assets/${original.id} shows it`);

  async function request(what: string, method: "POST" | "PATCH", path: string, body: object): Promise<Made> {
    const made = await service.call<Made>(method, path, body);
    say(what, `asset ${made.id}, state ${made.state}, transaction ${made.transactionId}`);
    return made;
  }

  /** The author reads what is asked, signs it in the wallet and hands it in. */
  async function approve({ transactionId }: Made): Promise<void> {
    const path = `/transactions/${transactionId}`;
    const wanted = await service.call<ToSign>("GET", path);
    say("to be signed", wanted.summary.replaceAll(/\s+/g, " "));
    const signedTransaction = await sign(service, wanted);
    const done = await service.call<{ transactionHash: Hex; state: AssetState }>("POST", `${path}/submit`, {
      signedTransaction,
    });
    say("signed", `state ${done.state}, transaction hash ${done.transactionHash}`);
  }

  async function follow({ id, transactionId }: Made, goal: AssetState): Promise<void> {
    const deadline = Date.now() + followSeconds * 1000;
    let seen: string | undefined;
    for (;;) {
      const { state, reason, transactionHash } = await service.call<ToSign>(
        "GET",
        `/transactions/${transactionId}`,
      );
      if (state !== seen)
        say("now", `asset ${id}, state ${state}, transaction hash ${transactionHash ?? "none yet"}`);
      seen = state;
      if (state === goal || (goal === "Committed" && state === "Confirmed")) return;
      if (isRevoked(state as AssetState))
        throw new SessionError(`It ended as ${state} (${reason ?? "no reason"}).`);
      if (Date.now() > deadline)
        throw new SessionError(`It is not ${goal} after ${followSeconds} s, but ${state}.`);
      await sleep(300);
    }
  }

  async function expectLinks(id: Hex, expected: Links): Promise<void> {
    const links = await service.call<Links>("GET", `/assets/${id}/links`);
    say("links", `asset ${id}: from [${links.from.join(", ")}] to [${links.to.join(", ")}]`);
    if (JSON.stringify(links) !== JSON.stringify(expected)) {
      throw new SessionError(`The links should be ${JSON.stringify(expected)}.`);
    }
  }

  /** The id is a hash over author, salt and every text: the service cannot answer others under it. */
  async function expectOwnId({ id, author, salt, name, customDefinitionItems = [] }: Asset): Promise<void> {
    const { registry, chainId } = await service.call<{ registry: Address; chainId: number }>(
      "GET",
      "/status",
    );
    const texts = new Map([
      ["name", name],
      ...customDefinitionItems.map(({ key, value }) => [key, value] as const),
    ]);
    const details = Object.fromEntries(
      detailFields.map((field) => [field, texts.get(field) ?? ""]),
    ) as AssetDetails;
    const own = assetId({ address: registry, chainId }, { author, salt, details });
    if (own !== id) throw new SessionError(`The answered content is that of ${own}, not of ${id}.`);
    say("recomputed", `the answered author, salt and texts give the id ${own} on chain ${chainId}`);
  }

  async function expectVerdict(what: string, asset: Asset, digest: string, expected: string): Promise<void> {
    const item = (key: string) => asset.customDefinitionItems?.find((one) => one.key === key)?.value ?? "";
    const stored = { method: item("method"), hash: item("hash") };
    const verdict = await compareHash(stored, () => digest);
    say("compared", `${what} with asset ${asset.id}, state ${asset.state}: ${verdict}`);
    if (verdict !== expected) throw new SessionError(`It should be a ${expected}.`);
  }
}

function createNarrator() {
  let step = 0;
  return (what: string, text: string) => {
    step += 1;
    console.log(`${String(step).padStart(2)}  ${what.padEnd(15)}  ${text}`);
  };
}
