import { type Address, type Hex, keccak256, numberToHex, stringToHex, zeroHash } from "viem";
import { type AssetContent, type AssetDetails, mapDetails } from "../../../domain/asset/asset.ts";
import { type Proof, registryAddress } from "../../../proof/src/proof.ts";
import { compiledRegistry } from "../../../scripts/contracts/compiled-registry.ts";
import { addressOf, creationCall, FACTORY } from "../../../scripts/deployment/create2.ts";
import { assetId } from "../asset-id.ts";
import { owner } from "../chain/accounts.ts";
import { callRegistry, type ProofChain, send } from "./chains.ts";
import { proofFromNode } from "./node-proof.ts";

/** Proofs that a node made, by what they show. */
export type RealProofs = Record<
  | "an asset"
  | "links in every state"
  | "an earlier block"
  | "a link to an unknown child"
  | "an unknown asset"
  | "a cancelled creation"
  | "another registry"
  | "a block before the registry",
  Proof
>;

/** The digest of the file that the linked asset is about, which writes it otherwise. */
export const fileHash = {
  method: "SHA-256",
  digest: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
};

const linkedAsset = contentOf({
  name: 'Lease "Müller" \u{1f4dc}',
  data: '{"b":1.0,"a":12345678901234567890}\r\n',
  fileName: "Vertrag-Mu\u0308ller.pdf",
  fileType: "application/pdf",
  fileSize: "3",
  method: "SHA2-256",
  hash: `0x${fileHash.digest.toUpperCase()}`,
  uri: "https://files.example.org/lease?a=1&b=2",
});

/** Lets registries of a chain see everything that a proof can show, and proves it. */
export async function realProofs({ rpc, chainId }: ProofChain): Promise<RealProofs> {
  const newest = async () => (await rpc("eth_blockNumber", [])) as Hex;
  const create = ({ salt, details }: AssetContent, registry: Address = registryAddress) =>
    callRegistry(rpc, registry, owner.address, { functionName: "createAsset", args: [salt, details] });
  const idOf = (asset: AssetContent) => assetId({ chainId, address: registryAddress }, asset);
  const change = (functionName: "link" | "revokeLinks", children: AssetContent[]) =>
    callRegistry(rpc, registryAddress, owner.address, {
      functionName,
      args: [idOf(linkedAsset), children.map(idOf)],
    });

  const before = await newest();
  const { bytecode } = await compiledRegistry();
  const salt = numberToHex(1, { size: 32 });
  await send(rpc, { from: owner.address, to: FACTORY, data: creationCall(bytecode, salt) });
  const otherRegistry = addressOf(keccak256(bytecode), salt);
  await create(linkedAsset, otherRegistry);

  const single = contentOf({ name: "Contract" });
  const names = ["standing", "revoked", "added again", "never added"];
  const children = names.map((name) => contentOf({ name }));
  for (const asset of [linkedAsset, single, ...children]) await create(asset);
  await change("link", children.slice(0, 3));
  const earlier = await newest();
  await change("revokeLinks", children.slice(1, 3));
  await change("link", children.slice(2, 3));
  const cancelled = contentOf({ name: "Withdrawn" });
  await callRegistry(rpc, registryAddress, owner.address, {
    functionName: "cancelCreation",
    args: [cancelled.salt, cancelled.details],
  });

  const here = { chainId, registry: registryAddress as Address };
  const there = { chainId, registry: otherRegistry, asset: linkedAsset };
  const linked = { ...here, asset: linkedAsset, children: children.map(idOf) };
  return {
    "an asset": await proofFromNode(rpc, { ...here, asset: single }),
    "links in every state": await proofFromNode(rpc, linked),
    "an earlier block": await proofFromNode(rpc, { ...linked, block: earlier }),
    "a link to an unknown child": await proofFromNode(rpc, { ...linked, children: [zeroHash] }),
    "an unknown asset": await proofFromNode(rpc, { ...here, asset: contentOf({ name: "Nobody's" }) }),
    "a cancelled creation": await proofFromNode(rpc, { ...here, asset: cancelled }),
    "another registry": await proofFromNode(rpc, there),
    "a block before the registry": await proofFromNode(rpc, { ...there, block: before }),
  };
}

/** An asset of the node's account, with a salt made of its name. */
function contentOf(texts: Partial<AssetDetails>): AssetContent {
  const details = { ...mapDetails(() => ""), ...texts };
  return { author: owner.address, salt: keccak256(stringToHex(details.name)), details };
}
