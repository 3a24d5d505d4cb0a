import { createRequire } from "node:module";
import { expect } from "chai";
import { storageSlots } from "../../proof/src/registry/slots.ts";
import { buildInfo, compiledRegistry } from "../../scripts/contracts/compiled-registry.ts";

const solc: { compile(input: string): string } = createRequire(import.meta.url)("solc");

type Member = { label: string; slot: string; offset: number; type: string };
type Layout = { storage: Member[]; types: Record<string, { members?: Member[]; value?: string }> };

/** Where the compiler puts each variable. */
async function storageLayout(): Promise<Layout> {
  const { input } = await buildInfo((await compiledRegistry()).buildInfoId);
  const outputSelection = { "*": { AssetRegistry: ["storageLayout"] } };
  const settings = { ...input.settings, outputSelection };
  const { contracts } = JSON.parse(solc.compile(JSON.stringify({ ...input, settings }))) as {
    contracts: Record<string, { AssetRegistry?: { storageLayout: Layout } }>;
  };
  const [layout] = Object.values(contracts).flatMap((file) => file.AssetRegistry?.storageLayout ?? []);
  return layout as Layout;
}

describe("the registry's storage", () => {
  it("is laid out as proofs read it, for ever", async () => {
    const { storage, types } = await storageLayout();
    const mapping = (label: string) => storage.find((member) => member.label === label) as Member;
    const fields = (type: string | undefined) =>
      types[type ?? ""]?.members?.map((field) => {
        const bytes = `${field.type.replace("t_", "")} ${field.label}`;
        return `${bytes}: word ${field.slot}, from byte ${field.offset}`;
      });
    const [assets, links] = [mapping("_assets"), mapping("_links")];

    expect({ assets: Number(assets.slot), links: Number(links.slot) }).to.deep.equal(storageSlots);
    expect(assets.type).to.match(/^t_mapping\(t_bytes32,t_struct/);
    expect(fields(types[assets.type]?.value)).to.deep.equal([
      "address author: word 0, from byte 0",
      "uint48 createdOn: word 0, from byte 20",
      "uint48 cancelledOn: word 0, from byte 26",
    ]);
    expect(links.type).to.match(/^t_mapping\(t_bytes32,t_mapping\(t_bytes32,t_struct/);
    expect(fields(types[types[links.type]?.value ?? ""]?.value)).to.deep.equal([
      "uint48 addedOn: word 0, from byte 0",
      "uint48 revokedOn: word 0, from byte 6",
    ]);
  }).timeout(30_000);
});
