import { expect } from "chai";
import { encodeFunctionData, hashTypedData } from "viem";
import { registryAbi } from "../../../../domain/registry/abi.ts";
import { checkRequest, readCall } from "../../../../web/src/pages/sign/rules/check-request.ts";
import { shownChange } from "../../../../web/src/pages/sign/rules/shown-change.ts";
import { other } from "../../../support/chain/accounts.ts";
import { asked, details, registry } from "./asked.ts";

type Asked = ReturnType<typeof asked>;

describe("what the signing page checks before it asks a wallet", () => {
  const mismatch = (changed: Asked) => {
    const found = checkRequest(changed, registry);
    return found !== undefined && "mismatch" in found ? found.mismatch : undefined;
  };

  it("takes a request whose bytes are what its words say", () => {
    for (const kind of ["create", "link", "revoke"] as const) {
      for (const gasless of [asked(kind).gasless, null]) {
        const request = asked(kind, { gasless });
        const found = checkRequest(request, registry);
        expect(found).to.have.nested.property("checked.change.kind", kind);
        expect(found).to.have.nested.property("checked.call.data", request.data);
        expect(found).to.deep.nested.include({
          "checked.refusal": request.refusal,
          "checked.gasless": gasless,
        });
      }
    }
    expect(shownChange(asked(), checkRequest(asked(), registry))).to.deep.include({
      kind: "create",
      details,
    });
  });

  it("signs what the registry takes: the typed data hashes as the service's own", () => {
    const found = checkRequest(asked(), registry);
    if (found === undefined || !("checked" in found)) throw new Error("It does not match");
    expect(hashTypedData(found.checked.gasless as never)).to.equal(hashTypedData(asked().gasless as never));
  });

  it("has nothing to check of a closed request, and shows the service's words", () => {
    const closed = { to: null, data: null, value: null, refusal: null, gasless: null } as const;
    for (const kind of ["create", "link", "revoke"] as const) {
      const request = asked(kind, closed);
      expect(checkRequest(request, registry)).to.equal(undefined);
      expect(shownChange(request, undefined)).to.deep.equal({ kind, ...request.call.arguments });
    }
  });

  const link = asked("link");
  const cases: [string, Asked, ReturnType<typeof mismatch>][] = [
    ["another chain", asked("create", { chainId: 1 }), "CHAIN"],
    ["another contract", asked("create", { to: other.address }), "REGISTRY"],
    ["money", asked("create", { value: "0x1" }), "VALUE"],
    ["no value", asked("create", { value: null }), "VALUE"],
    ["another function", asked("create", { data: link.data }), "CALL"],
    ["bytes behind the call", asked("create", { data: `${asked().data}00` as `0x${string}` }), "CALL"],
    ["bytes that are no call", asked("create", { data: "0x12345678" }), "CALL"],
    ["cut bytes", asked("create", { data: asked().data?.slice(0, -64) as `0x${string}` }), "CALL"],
    ["another kind", asked("revoke", { data: link.data }), "CALL"],
    [
      "another word",
      asked("create", {
        call: {
          function: "createAsset",
          arguments: { ...asked().call.arguments, details: { ...details, name: "Gift" } },
        },
      }),
      "WORDS",
    ],
    [
      "a word more",
      asked("create", {
        call: { function: "createAsset", arguments: { ...asked().call.arguments, more: "" } },
      }),
      "WORDS",
    ],
    ["another id", asked("create", { assetId: link.assetId }), "ASSET_ID"],
    ["another author", asked("create", { signer: other.address }), "ASSET_ID"],
    ["another parent", asked("link", { assetId: asked().assetId }), "ASSET_ID"],
    ["a refusal of another request", asked("create", { refusal: link.refusal }), "REFUSAL"],
    ["no refusal", asked("create", { refusal: null }), "REFUSAL"],
    ["typed data of another asset", asked("create", { gasless: link.gasless }), "GASLESS"],
    ["typed data of another nonce", withMessage("link", { nonce: "1" }), "GASLESS"],
    ["a deadline after the request's end", withMessage("create", { deadline: "99999999999" }), "GASLESS"],
    ["no deadline", withMessage("create", { deadline: undefined }), "GASLESS"],
    ["a deadline that is none", withMessage("create", { deadline: "soon" }), "GASLESS"],
  ];
  for (const [name, request, expected] of cases) {
    it(`refuses ${name}`, () => {
      expect(mismatch(request)).to.equal(expected);
      expect(shownChange(request, checkRequest(request, registry))).to.equal(undefined);
    });
  }

  function withMessage(kind: "create" | "link", changes: object): Asked {
    const { gasless } = asked(kind);
    if (gasless === null) throw new Error("There is none");
    return asked(kind, { gasless: { ...gasless, message: { ...gasless.message, ...changes } } });
  }

  it("reads no other function of the registry", () => {
    const data = encodeFunctionData({ abi: registryAbi, functionName: "cancelLinkChange", args: [1n] });
    expect(readCall(data)).to.equal(undefined);
  });
});
