import { expect } from "chai";
import type { Page } from "playwright-core";
import type { LocalAccount } from "viem";
import { expectAccessible, expectFitsPhone } from "../../support/console/accessibility.ts";
import { newAuthor } from "../../support/console/author.ts";
import { useConsole } from "../../support/console/console.ts";
import { ETHEREUM } from "../../support/console/wallet.ts";

describe("the signing page in a browser", () => {
  const console = useConsole();
  let author: LocalAccount;
  beforeEach(async () => {
    author = await newAuthor(console.service.rig);
  });

  const asset = {
    name: "Lease agreement",
    data: "Flat 3",
    fileName: "lease.pdf",
    method: "SHA2-256",
    hash: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    uri: "https://example.org/lease.pdf",
  };
  async function requestAsset(fields: object = asset): Promise<{ id: string; transactionId: string }> {
    return (await console.service.post("/assets/", { author: author.address, ...fields })).value;
  }
  const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
  const press = (page: Page, name: string) => page.getByRole("button", { name }).click();

  it("says what is signed, by whom it is asked, until when and at what cost", async () => {
    const { id, transactionId } = await requestAsset();
    const fox = console.wallet({ accounts: [author] });
    const { page } = await console.visit(`/sign/${transactionId}`, { wallets: [fox] });
    await page.getByRole("button", { name: "Sign with Fox" }).waitFor();
    const text = await page.locator("main").textContent();
    for (const value of Object.values(asset)) expect(text).to.contain(value);
    expect(text).to.contain("Asked by tenant-a").and.to.contain("Open until").and.to.contain(author.address);
    expect(text).to.match(/about 0\.000\d+ ETH, at most 0\.000\d+ ETH/);
    await page.getByText("Technical details").click();
    await shows(page, id);
    await shows(page, console.service.rig.registry.address);
    await expectAccessible(page);
    await expectFitsPhone(page);
    expect(fox.calls.filter(({ method }) => !["eth_accounts", "eth_chainId"].includes(method))).to.deep.equal(
      [],
    );
  });

  it("is done in four clicks by an author who was sent the link, and follows to the end by itself", async () => {
    const { rig } = console.service;
    const { id, transactionId } = await requestAsset();
    const fox = console.wallet({ accounts: [author], chainId: ETHEREUM, knownChains: [ETHEREUM] });
    fox.state.decide = "hold";
    const { page } = await console.visit(`/sign/${transactionId}`, { wallets: [fox] });
    let clicks = 0;
    const approve = async (method: string) => {
      (await fox.prompt(method)).approve();
      clicks += 1;
    };
    await press(page, "Sign with Fox");
    clicks += 1;
    await approve("wallet_requestPermissions");
    await approve("wallet_addEthereumChain");
    await shows(page, "Waiting for you to approve in your wallet");
    await approve("eth_sendTransaction");
    expect(clicks).to.equal(4);
    await shows(page, "On its way into a block");
    await rig.mine();
    await shows(page, "In a block, soon final");
    await rig.mine(5);
    await shows(page, "Done: it is final");
    await expectAccessible(page);
    const steps = await page.getByRole("listitem").allInnerTexts();
    expect(steps.map((step) => step.split("\n")[0])).to.deep.equal([
      "Asked of the author",
      "Sent to the chain",
      "In a block",
      "Final",
    ]);
    expect(await page.getByRole("link", { name: "See the asset" }).getAttribute("href")).to.equal(
      `/console/assets/${id}`,
    );
    expect(fox.sent).to.have.length(1);
  });

  it("links and revokes, with the names of the assets", async () => {
    const { createAsset } = console.service;
    const [parent, child] = [
      await createAsset({ name: "Parent" }, author),
      await createAsset({ name: "Child" }, author),
    ];
    const path = `/assets/${parent.id}/links`;
    const fox = console.wallet({ accounts: [author], connected: true });
    const { value } = await console.service.post(path, { targetAssetIds: [child.id] });
    const { page } = await console.visit(`/sign/${value.transactionId}`, { wallets: [fox] });
    await page.getByRole("heading", { name: "Request to link assets" }).waitFor();
    await page.getByText("Child", { exact: true }).waitFor();
    await press(page, "Sign with Fox");
    await shows(page, "On its way into a block");
    await console.service.rig.mine();
    await shows(page, "In a block, soon final");
    const revoked = await console.service.patch(path, { targetAssetIds: [child.id] });
    await page.goto(`${console.service.url}/console/sign/${revoked.value.transactionId}`);
    await page.getByRole("heading", { name: "Request to revoke links" }).waitFor();
    await press(page, "Sign with Fox");
    await shows(page, "On its way into a block");
    await console.service.rig.mine();
    await shows(page, "In a block, soon final");
  });

  it("refuses by a signature", async () => {
    const { transactionId } = await requestAsset();
    const fox = console.wallet({ accounts: [author] });
    const { page } = await console.visit(`/sign/${transactionId}`, { wallets: [fox] });
    await page.getByText("I do not want to sign").click();
    await expectAccessible(page);
    await press(page, "Refuse with Fox");
    await shows(page, "Closed by its author");
    await shows(page, "It was refused by a signature.");
    expect(await page.getByRole("button", { name: /Sign with/ }).count()).to.equal(0);
    expect(fox.asked()).to.equal(0);
  });

  it("lets the author choose among several wallets, and another one afterwards", async () => {
    const { transactionId } = await requestAsset();
    const [fox, bear] = [console.wallet(), console.wallet({ name: "Bear", accounts: [author] })];
    const { page } = await console.visit(`/sign/${transactionId}`, { wallets: [fox, bear] });
    await press(page, "Sign with Fox");
    await shows(page, "Another account is selected in your wallet");
    await press(page, "Use another wallet or account");
    await press(page, "Sign with Bear");
    await shows(page, "On its way into a block");
    expect([fox.asked(), bear.asked()]).to.deep.equal([0, 1]);
  });

  it("gives the link to another device where the browser has no wallet", async () => {
    const { transactionId } = await requestAsset();
    const { page } = await console.visit(`/sign/${transactionId}`);
    await shows(page, "There is no wallet in this browser");
    await page.getByRole("img", { name: "QR code of the link to this page" }).waitFor();
    await page.getByRole("link", { name: `/console/sign/${transactionId}` }).waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    // It follows what is done there.
    await console.service.approve(transactionId, author);
    await shows(page, "On its way into a block");
  });

  it("uses a wallet that does not announce itself", async () => {
    const { transactionId } = await requestAsset();
    const old = console.wallet({ accounts: [author], legacy: true });
    const { page } = await console.visit(`/sign/${transactionId}`, { wallets: [old] });
    await press(page, "Sign with The wallet of this browser");
    await shows(page, "On its way into a block");
  });

  it("is used by the keyboard alone", async () => {
    const { transactionId } = await requestAsset();
    const fox = console.wallet({ accounts: [author] });
    const { page } = await console.visit(`/sign/${transactionId}`, { wallets: [fox] });
    const button = page.getByRole("button", { name: "Sign with Fox" });
    await button.waitFor();
    const isFocused = () =>
      button.evaluate((element) => element === (element as never)["ownerDocument"]["activeElement"]);
    for (let tabs = 0; tabs < 30 && !(await isFocused()); tabs += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await shows(page, "On its way into a block");
  });
});
