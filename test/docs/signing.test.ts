import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import type { Hex, LocalAccount, TypedDataDefinition } from "viem";
import { deployerKey, other, owner } from "../support/chain/accounts.ts";
import { root } from "../support/program.ts";
import { type Service, startService } from "../support/service.ts";

type Asked = { method: string; params?: unknown[] };
type Way = "send" | "gasless" | "refuse";
type SignInWallet = (options: {
  ethereum: { request(asked: Asked): Promise<unknown> };
  api: string;
  transactionId: string;
  way: Way;
}) => Promise<string>;

describe("docs/signing.md", () => {
  let service: Service;
  let signInWallet: SignInWallet;
  before(async () => {
    service = await startService({ relayer: { key: deployerKey, dailyBudget: 10n ** 18n } });
    const text = await readFile(join(root, "docs", "signing.md"), "utf8");
    const [, code = ""] = /```js\n(.*?)```/s.exec(text) ?? [];
    ({ signInWallet } = await import(`data:text/javascript,${encodeURIComponent(code)}`));
  });
  after(() => service?.stop());

  /** A wallet of one account, as its methods are specified (EIP-1193, EIP-712, EIP-3326). */
  function wallet(account: LocalAccount, chain = service.registry.chainId) {
    let chainId = chain;
    const asked: string[] = [];
    const request = async ({ method, params = [] }: Asked): Promise<unknown> => {
      asked.push(method);
      const [first, second] = params;
      switch (method) {
        case "eth_requestAccounts":
          return [account.address.toLowerCase()];
        case "eth_chainId":
          return `0x${chainId.toString(16)}`;
        case "wallet_switchEthereumChain":
          chainId = Number((first as { chainId: Hex }).chainId);
          return null;
        case "eth_sendTransaction": {
          const { to, data, gas } = first as { to: Hex; data: Hex; gas: Hex };
          const { raw } = await service.rig.sign(data, { account, to, gas: BigInt(gas) });
          return await service.rig.send(raw);
        }
        case "eth_signTypedData_v4": {
          expect(first).to.equal(account.address);
          const { EIP712Domain: _, ...types } =
            (JSON.parse(second as string) as TypedDataDefinition).types ?? {};
          return await account.signTypedData({ ...JSON.parse(second as string), types });
        }
        default:
          throw Object.assign(new Error(`${method} is not supported`), { code: 4200 });
      }
    };
    return { request, asked };
  }

  async function requested(): Promise<{ id: string; transactionId: string }> {
    return (await service.post("/assets/", { name: "Lease", author: owner.address })).value;
  }

  it("sends a transaction by the wallet, on the right chain", async () => {
    const { transactionId } = await requested();
    const ethereum = wallet(owner, 1);
    await signInWallet({ ethereum, api: service.url, transactionId, way: "send" });
    expect(ethereum.asked).to.deep.equal([
      "eth_requestAccounts",
      "eth_chainId",
      "wallet_switchEthereumChain",
      "eth_sendTransaction",
    ]);
    await service.rig.reach(transactionId, "Submitted");
    await service.rig.mine();
    await service.rig.reach(transactionId, "Committed");
  });

  it("signs what the relayer pays for", async () => {
    const { transactionId } = await requested();
    const state = await signInWallet({
      ethereum: wallet(owner),
      api: service.url,
      transactionId,
      way: "gasless",
    });
    expect(state).to.equal("TxSignatureSubmitted");
    await service.rig.reach(transactionId, "Submitted");
    await service.rig.mine();
    await service.rig.reach(transactionId, "Committed");
  });

  it("refuses", async () => {
    const { transactionId } = await requested();
    const state = await signInWallet({
      ethereum: wallet(owner),
      api: service.url,
      transactionId,
      way: "refuse",
    });
    expect(state).to.equal("RevokedByUser");
    const again = signInWallet({ ethereum: wallet(owner), api: service.url, transactionId, way: "refuse" });
    expect(await again.catch((error: Error) => error.message)).to.equal(
      "Nothing is left to sign: the request is RevokedByUser.",
    );
  });

  it("asks for the author's account before anything is signed", async () => {
    const { transactionId } = await requested();
    const ethereum = wallet(other);
    const signing = signInWallet({ ethereum, api: service.url, transactionId, way: "send" });
    expect(await signing.catch((error: Error) => error.message)).to.include(owner.address);
    expect(ethereum.asked).to.deep.equal(["eth_requestAccounts"]);
  });
});
