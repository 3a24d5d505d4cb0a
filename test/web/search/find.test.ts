import { type PublicAsset, type PublicQuery, RegistryError } from "asset-registry-client";
import { expect } from "chai";
import { find } from "../../../web/src/search/find.ts";
import type { Ask } from "../../../web/src/search/understand.ts";

const asset = (id: string) => ({ id }) as unknown as PublicAsset;
const { signal } = new AbortController();

/** A registry that knows these assets by id, and answers lists by their query. */
function registryOf(lists: Record<string, string[]>, byId: string[] = []) {
  const asked: PublicQuery[] = [];
  return {
    asked,
    async publicAsset(id: string) {
      if (byId.includes(id)) return asset(id);
      throw new RegistryError({
        ...{ code: "ASSET_NOT_FOUND", message: "There is none.", status: 404 },
        ...{ details: [], requestId: undefined, retryAfter: undefined },
      });
    },
    async *publicAssets(query: PublicQuery = {}) {
      asked.push(query);
      for (const id of lists[query.method ?? query.name ?? query.words ?? query.author ?? ""] ?? []) {
        if (id === "broken") throw new Error("away");
        yield asset(id);
      }
    },
  };
}

async function idsOf(registry: ReturnType<typeof registryOf>, asks: Ask[]): Promise<string[]> {
  const found: string[] = [];
  for await (const { asset, ask } of find(registry, asks, signal)) found.push(`${asset.id} by ${ask.by}`);
  return found;
}

describe("what is found for a search", () => {
  const hashes: Ask[] = [
    { by: "id", id: "0x1" },
    { by: "hash", digits: "1", method: "sha256" },
    { by: "hash", digits: "1", method: "sha3-256" },
  ];

  it("is the asset of the id alone where there is one, and nothing else is asked", async () => {
    const registry = registryOf({ sha256: ["0x2"] }, ["0x1"]);
    expect(await idsOf(registry, hashes)).to.deep.equal(["0x1 by id"]);
    expect(registry.asked).to.deep.equal([]);
  });

  it("is what bears the hash by any of the methods otherwise, each once", async () => {
    const registry = registryOf({ sha256: ["0x2", "0x1"], "sha3-256": ["0x3", "0x2"] });
    expect(await idsOf(registry, hashes)).to.deep.equal(["0x2 by hash", "0x1 by hash", "0x3 by hash"]);
    expect(registry.asked.map(({ hash }) => hash)).to.deep.equal(["1", "1"]);
  });

  it("is nothing where no asset has the id", async () => {
    expect(await idsOf(registryOf({}), hashes)).to.deep.equal([]);
  });

  it("keeps what was found before a list failed, and fails then", async () => {
    const registry = registryOf({ lease: ["0x1", "broken"] });
    const found: string[] = [];
    let failure: unknown;
    try {
      for await (const { asset } of find(registry, [{ by: "name", text: "lease" }], signal))
        found.push(asset.id);
    } catch (error) {
      failure = error;
    }
    expect(found).to.deep.equal(["0x1"]);
    expect(failure).to.have.property("message", "away");
  });

  it("leaves no failure unhandled that nobody waits for any more", async () => {
    const registry = registryOf({ lease: ["0x1"], other: ["broken"] });
    const asks: Ask[] = [
      { by: "name", text: "lease" },
      { by: "words", text: "other" },
    ];
    for await (const { asset } of find(registry, asks, signal)) {
      expect(asset.id).to.equal("0x1");
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  });
});
