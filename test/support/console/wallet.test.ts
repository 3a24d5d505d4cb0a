import { expect } from "chai";
import type { Page } from "playwright-core";
import { other, owner } from "../chain/accounts.ts";
import { eventually } from "../eventually.ts";
import { useConsole } from "./console.ts";
import { ETHEREUM } from "./wallet.ts";

type Provider = {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>;
  on(event: string, listener: (value: unknown) => void): void;
};
type Announcement = { detail: { info: { name: string }; provider: Provider } };
type Window = {
  found: Announcement["detail"][];
  events: unknown[];
  addEventListener(name: string, listener: (event: Announcement) => void): void;
  dispatchEvent(event: Event): void;
};

describe("the wallets of the browser tests", () => {
  const console = useConsole();

  /** Finds the wallets as a page does. @returns their names */
  const discover = (page: Page) =>
    page.evaluate(() => {
      const window = globalThis as unknown as Window;
      window.found = [];
      window.events = [];
      window.addEventListener("eip6963:announceProvider", ({ detail }) => void window.found.push(detail));
      window.dispatchEvent(new Event("eip6963:requestProvider"));
      for (const { provider } of window.found) {
        for (const event of ["accountsChanged", "chainChanged"]) {
          provider.on(event, (value) => void window.events.push([event, value]));
        }
      }
      return window.found.map(({ info }) => info.name);
    });
  const request = (page: Page, method: string, params: unknown[] = []) =>
    page.evaluate(
      ([asked, given]) =>
        (globalThis as unknown as Window).found[0]?.provider
          .request({ method: asked as string, params: given as unknown[] })
          .catch(({ code }: { code: number }) => ({ code })),
      [method, params],
    );

  it("announce themselves, ask their user, and tell of another account and chain", async () => {
    const [fox, bear] = [console.wallet({ chainId: ETHEREUM }), console.wallet({ name: "Bear" })];
    const { page } = await console.visit("/no-such-page", { wallets: [fox, bear] });
    expect(await discover(page)).to.deep.equal(["Fox", "Bear"]);
    expect(await request(page, "eth_accounts")).to.deep.equal([]);
    fox.state.decide = "reject";
    expect(await request(page, "eth_requestAccounts")).to.deep.equal({ code: 4001 });
    fox.state.decide = "hold";
    const asked = request(page, "eth_requestAccounts");
    const prompt = await fox.prompt("eth_requestAccounts");
    expect(await request(page, "eth_requestAccounts")).to.deep.equal({ code: -32002 });
    prompt.approve();
    expect(await asked).to.deep.equal([owner.address.toLowerCase()]);
    fox.state.decide = "approve";
    const chain = `0x${console.service.rig.registry.chainId.toString(16)}`;
    fox.state.knownChains.delete(Number(chain));
    expect(await request(page, "wallet_switchEthereumChain", [{ chainId: chain }])).to.deep.equal({
      code: 4902,
    });
    await request(page, "wallet_addEthereumChain", [{ chainId: chain, rpcUrls: ["http://127.0.0.1"] }]);
    await fox.selectAccount(other);
    const events = () => page.evaluate(() => (globalThis as unknown as Window).events);
    await eventually("both events", events, (seen) => seen.length === 2);
    expect(await events()).to.deep.equal([
      ["chainChanged", chain],
      ["accountsChanged", [other.address.toLowerCase()]],
    ]);
  });

  it("send what they are asked to, or what their user makes of it, and replace it", async () => {
    const fox = console.wallet();
    const { page } = await console.visit("/no-such-page", { wallets: [fox] });
    await discover(page);
    await request(page, "eth_requestAccounts");
    const transaction = { from: owner.address, to: other.address, data: "0x", value: "0x1" };
    fox.state.changes = { gas: "0x7530" };
    await request(page, "eth_sendTransaction", [transaction]);
    const hash = await fox.replace({ value: "0x2" });
    await console.service.rig.mine();
    const { value, gas } = await console.service.rig.chain.getTransaction({ hash });
    expect({ value, gas }).to.deep.equal({ value: 2n, gas: 30_000n });
  });
});
