import { expect } from "chai";
import { refusalTypedData } from "../../../domain/asset/typed-data.ts";
import { useConsole } from "../../support/console/console.ts";
import { useSigningPage } from "../../support/console/signing-page.ts";

describe("the signing page and those who would have the author sign something else, in a browser", () => {
  const console = useConsole();
  const signing = useSigningPage(console);
  const { shows, press } = signing;
  const read = async (id: string) => (await console.service.get(`/transactions/${id}`)).value;

  it("asks no wallet for another change than it showed, though the service's words and bytes agree", async () => {
    const { transactionId } = await signing.requestAsset();
    const gift = await signing.requestAsset({ name: "Gift" });
    const fox = console.wallet({ accounts: [signing.author], connected: true });
    const { page, context } = await console.visit(`/sign/${transactionId}`, { wallets: [fox] });
    await page.getByRole("button", { name: "Sign with Fox" }).waitFor();

    const other = await read(gift.transactionId);
    const { registry } = console.service.rig;
    const { message } = refusalTypedData(registry, { transactionId, asset: other.assetId });
    const swapped = { ...other, id: transactionId, refusal: { ...other.refusal, message } };
    await context.route(`**/transactions/${transactionId}`, (route) =>
      route.fulfill({ json: { value: swapped } }),
    );
    await press(page, "Sign with Fox");
    await shows(page, "Do not sign: the service asks for something else than it showed before");
    expect(fox.asked()).to.equal(0);
    expect(await page.locator("main").textContent())
      .to.contain("Lease agreement")
      .and.not.to.contain("Gift");
  });

  it("names no asset by words that its id does not bear out", async () => {
    const { createAsset, post } = console.service;
    const parent = await createAsset({ name: "Parent" }, signing.author);
    const child = await createAsset({ name: "Child" }, signing.author);
    const { value } = await post(`/assets/${parent.id}/links`, { targetAssetIds: [child.id] });
    const { page, context } = await console.visit("/no-such-page");
    await context.route(`**/public/assets/${child.id}`, async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({ json: { value: { ...answer.value, name: "Deed of the house" } } });
    });
    const answered = page.waitForResponse(`**/public/assets/${child.id}`);
    await page.goto(`${console.service.url}/console/sign/${value.transactionId}`);
    await page.getByText("Parent", { exact: true }).waitFor();
    await (await answered).finished();
    // What came is read and shown by then.
    await page.waitForTimeout(500);
    const text = await page.locator("main").textContent();
    expect(text)
      .to.contain(`${child.id.slice(0, 8)}…`)
      .and.not.to.contain("Deed");
  });

  it("asks the wallet that was chosen of two that call themselves the same", async () => {
    const { transactionId } = await signing.requestAsset();
    const wallets = [0, 1].map(() => console.wallet({ accounts: [signing.author] }));
    const { page } = await console.visit(`/sign/${transactionId}`, { wallets });
    const buttons = page.getByRole("button", { name: "Sign with Fox" });
    await buttons.nth(1).waitFor();
    expect(await buttons.nth(1).textContent()).to.contain("test.fox");
    await buttons.nth(1).click();
    await shows(page, "On its way into a block");
    expect(wallets.map((wallet) => wallet.asked())).to.deep.equal([0, 1]);
  });
});
