import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { FunctionFragment, Interface, type ParamType, TypedDataEncoder, type TypedDataField } from "ethers";
import type { Address } from "viem";
import { z } from "zod";
import { mapDetails } from "../../domain/asset/asset.ts";
import * as typedData from "../../domain/asset/typed-data.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import { compiledPin } from "../../scripts/contracts/pin-registry.ts";
import { DEPLOYMENTS, deploymentRecord } from "../../scripts/deployment/record.ts";

/** The parts of ERC-7730, version 2, that the descriptors use; strict, as wallets are. */
const field = z.strictObject({
  path: z.string(),
  label: z.string().max(30),
  format: z.enum(["raw", "addressName", "date", "calldata"]),
  visible: z.literal("never").optional(),
  params: z
    .union([
      z.strictObject({ types: z.array(z.enum(["wallet", "eoa", "contract"])) }),
      z.strictObject({ encoding: z.literal("timestamp") }),
      z.strictObject({ calleePath: z.literal("@.to") }),
    ])
    .optional(),
});
const deployments = z.array(z.strictObject({ chainId: z.number(), address: z.string() }));
const descriptor = z.strictObject({
  $schema: z.literal("https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json"),
  context: z.strictObject({
    $id: z.string(),
    contract: z.strictObject({ deployments }).optional(),
    eip712: z
      .strictObject({ domain: z.strictObject({ name: z.string(), version: z.string() }), deployments })
      .optional(),
  }),
  metadata: z.strictObject({ owner: z.string(), contractName: z.string() }),
  display: z.strictObject({
    formats: z.record(z.string(), z.strictObject({ intent: z.string().max(40), fields: z.array(field) })),
  }),
});
type Field = z.infer<typeof field>;

const folder = join(import.meta.dirname, "..", "..", "docs", "clear-signing");
const read = async (name: string) => descriptor.parse(JSON.parse(await readFile(join(folder, name), "utf8")));

/** Where the registry stands: the local chain always, and each chain that is recorded. */
async function knownDeployments() {
  const { address } = await compiledPin();
  const chains = (await readdir(DEPLOYMENTS)).flatMap((file) => /^(\d+)\.json$/.exec(file)?.[1] ?? []);
  const recorded = await Promise.all(
    chains.map(async (chain) => {
      const [newest] = await deploymentRecord(DEPLOYMENTS, Number(chain), () => {}).read();
      return { chainId: Number(chain), address: newest?.registry };
    }),
  );
  return [{ chainId: 31_337, address }, ...recorded];
}

/** What each type can be shown as. */
function expectFormatFits({ path, format }: Field, type: string): void {
  const fits: Record<string, string[]> = {
    address: ["addressName"],
    uint256: path === "deadline" ? ["date"] : ["raw"],
    bytes: ["raw", "calldata"],
  };
  expect(fits[type] ?? ["raw"], `${path} is a ${type}`).to.include(format);
}

describe("docs/clear-signing/calldata-AssetRegistry-1.json", () => {
  const registry = new Interface(registryAbi);

  function leaves(parameters: readonly ParamType[], prefix = ""): [path: string, type: string][] {
    return parameters.flatMap((parameter): [string, string][] => {
      const path = `${prefix}${parameter.name}`;
      if (parameter.components !== null) return leaves(parameter.components, `${path}.`);
      if (parameter.arrayChildren !== null) return [[`${path}.[]`, parameter.arrayChildren.type]];
      return [[path, parameter.type]];
    });
  }

  it("describes every function that changes something, under the signature of the ABI", async () => {
    const { display } = await read("calldata-AssetRegistry-1.json");
    const described = Object.keys(display.formats).map((key) => FunctionFragment.from(`function ${key}`));
    const changing = registry.fragments.filter(
      (fragment): fragment is FunctionFragment =>
        fragment instanceof FunctionFragment && !["view", "pure"].includes(fragment.stateMutability),
    );
    expect(described.map(({ selector }) => selector)).to.have.members(
      changing.map(({ selector }) => selector),
    );
    for (const one of described) {
      const known = registry.getFunction(one.selector);
      expect(leaves(one.inputs)).to.deep.equal(leaves(known?.inputs ?? []));
    }
  });

  it("shows each parameter once, in a form that fits its type, and hides only signatures", async () => {
    const { display } = await read("calldata-AssetRegistry-1.json");
    for (const [key, { fields }] of Object.entries(display.formats)) {
      const types = new Map(leaves(FunctionFragment.from(`function ${key}`).inputs));
      expect(
        fields.map(({ path }) => path),
        key,
      ).to.have.members([...types.keys()]);
      for (const one of fields) expectFormatFits(one, types.get(one.path) ?? "");
      for (const { path } of fields.filter(({ visible }) => visible)) expect(path).to.equal("signature");
    }
  });

  it("is bound to the registry on every chain where it is known to stand", async () => {
    const { context } = await read("calldata-AssetRegistry-1.json");
    expect(context.contract?.deployments).to.have.deep.members(await knownDeployments());
  });
});

describe("docs/clear-signing/eip712-AssetRegistry-1.json", () => {
  const registry = { chainId: 1, address: `0x${"00".repeat(20)}` as Address };
  const zero = `0x${"00".repeat(32)}` as const;
  const content = { author: registry.address, salt: zero, details: mapDetails(() => "") };
  const change = { parent: zero, children: [], nonce: 0n, deadline: 0n };
  const connection = { service: "", issuer: "", user: "", token: "", expiration: "" };
  /** One message of each kind that the product asks anybody to sign. */
  const messages = {
    createAssetTypedData: typedData.createAssetTypedData(registry, content, 0n),
    addLinksTypedData: typedData.addLinksTypedData(registry, change),
    revokeLinksTypedData: typedData.revokeLinksTypedData(registry, change),
    refusalTypedData: typedData.refusalTypedData(registry, { transactionId: "", asset: zero }),
    walletTypedData: typedData.walletTypedData(registry, connection),
  };
  const typesOf = (message: { types: object }) =>
    Object.fromEntries(
      Object.entries(message.types as Record<string, readonly TypedDataField[]>).map(([name, fields]) => [
        name,
        [...fields],
      ]),
    );

  function leaves(types: Record<string, TypedDataField[]>, type: string, prefix = ""): [string, string][] {
    return (types[type] ?? []).flatMap(({ name, type: inner }): [string, string][] => {
      const path = `${prefix}${name}`;
      if (inner in types) return leaves(types, inner, `${path}.`);
      return [inner.endsWith("[]") ? [`${path}.[]`, inner.slice(0, -2)] : [path, inner]];
    });
  }

  it("knows of every message that the product has signed", () => {
    const builders = Object.keys(typedData).filter((name) => name.endsWith("TypedData"));
    expect(Object.keys(messages)).to.have.members(builders);
  });

  it("describes every message under its EIP-712 type", async () => {
    const { display } = await read("eip712-AssetRegistry-1.json");
    const types = Object.values(messages).map((message) =>
      TypedDataEncoder.from(typesOf(message)).encodeType(message.primaryType),
    );
    expect(Object.keys(display.formats)).to.have.members(types);
  });

  it("shows each word of a message once, in a form that fits its type, and hides none", async () => {
    const { display } = await read("eip712-AssetRegistry-1.json");
    for (const message of Object.values(messages)) {
      const key = TypedDataEncoder.from(typesOf(message)).encodeType(message.primaryType);
      const types = new Map(leaves(typesOf(message), message.primaryType));
      const fields = display.formats[key]?.fields ?? [];
      expect(
        fields.map(({ path }) => path),
        key,
      ).to.have.members([...types.keys()]);
      for (const one of fields) expectFormatFits(one, types.get(one.path) ?? "");
      expect(fields.filter(({ visible }) => visible)).to.deep.equal([]);
    }
  });

  it("is bound to the domain of the registry on every chain where it is known to stand", async () => {
    const { context } = await read("eip712-AssetRegistry-1.json");
    const { name, version } = typedData.registryDomain(registry);
    expect(context.eip712?.domain).to.deep.equal({ name, version });
    expect(context.eip712?.deployments).to.have.deep.members(await knownDeployments());
  });
});
