import { expect } from "chai";
import { encodeFunctionData, type Hex, keccak256, toHex } from "viem";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { type Asked, NotAsShownError, understand } from "../../../scripts/session/asked.ts";
import { registry } from "../../support/api.ts";
import { assetId } from "../../support/asset-id.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { sampleDetails } from "../../support/rigs/rig.ts";

const salt = keccak256(toHex("salt"));
const [parent, child] = [keccak256(toHex("parent")), keccak256(toHex("child"))];
const around = {
  signer: owner.address,
  chainId: registry.chainId,
  to: registry.address,
  value: "0x0",
} as const;

function creation(details = sampleDetails): Asked {
  return {
    ...around,
    kind: "create",
    assetId: assetId(registry, { author: owner.address, salt, details }),
    data: encodeFunctionData({ abi: registryAbi, functionName: "createAsset", args: [salt, details] }),
    call: { function: "createAsset", arguments: { salt, details } },
  };
}

function change(kind: "link" | "revoke", children: Hex[] = [child]): Asked {
  const functionName = kind === "link" ? "link" : "revokeLinks";
  return {
    ...around,
    kind,
    assetId: parent,
    data: encodeFunctionData({ abi: registryAbi, functionName, args: [parent, children] }),
    call: { function: functionName, arguments: { parent, children } },
  };
}

describe("what the bytes of a transaction do", () => {
  it("is told in words for each kind, and quotes what could pass for more of them", () => {
    const evil = creation({ ...sampleDetails, name: 'Lease" as 0x00\n' });
    expect(understand(evil, registry)).to.deep.equal({
      kind: "create",
      text: `create "Lease\\" as 0x00\\n" as ${evil.assetId}`,
    });
    expect(understand(change("link"), registry).text).to.equal(`link ${parent} to ${child}`);
    expect(understand(change("revoke", [child, parent]), registry).text).to.equal(
      `revoke ${parent} to 2 assets`,
    );
  });

  const another = creation({ ...sampleDetails, name: "Deed" });
  for (const [lie, asked, words] of [
    ["for another chain", { ...creation(), chainId: 1 }, "chain 1"],
    ["for another contract", { ...creation(), to: other.address }, other.address],
    ["for no contract", { ...creation(), to: null }, "null"],
    ["for what is no address", { ...creation(), to: "0x12" as Hex }, "0x12"],
    ["that sends money", { ...creation(), value: "0x1" as Hex }, "0x1"],
    ["with a value left open", { ...creation(), value: null }, "null"],
    ["of which another call is shown", { ...creation(), call: another.call }, "another call"],
    ["whose bytes are another call", { ...creation(), data: another.data }, "another call"],
    [
      "of another content than its id",
      { ...another, assetId: creation().assetId },
      "not that of the asset's id",
    ],
    ["for another author", { ...creation(), signer: other.address }, "not that of the asset's id"],
    ["of another kind", { ...change("revoke"), kind: "link" }, "revokeLinks"],
    ["of another parent", { ...change("link"), assetId: child }, child],
    ["with bytes behind the call", { ...creation(), data: `${creation().data}00` as Hex }, "no call"],
    ["of an unknown function", { ...creation(), data: "0x12345678" as Hex }, "no call"],
    ["without bytes", { ...creation(), data: null }, "no call"],
    [
      "of a function that makes nothing",
      {
        ...creation(),
        data: encodeFunctionData({
          abi: registryAbi,
          functionName: "cancelCreation",
          args: [salt, sampleDetails],
        }),
        call: { function: "cancelCreation", arguments: { parent: salt, children: sampleDetails } },
      },
      "cancelCreation",
    ],
  ] as [string, Asked, string][]) {
    it(`is not believed to be what is shown: one ${lie}`, () => {
      expect(() => understand(asked, registry))
        .to.throw(NotAsShownError)
        .with.property("message")
        .contains(words);
    });
  }
});
