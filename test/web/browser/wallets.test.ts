import { expect } from "chai";
import type { Page } from "playwright-core";
import type { LocalAccount } from "viem";
import { connect } from "../../support/connect.ts";
import { expectAccessible, expectFitsPhone } from "../../support/console/accessibility.ts";
import { newAuthor } from "../../support/console/author.ts";
import { useConsole, type Visitor } from "../../support/console/console.ts";
import { signIn, withSignIn } from "../../support/console/sign-in.ts";
import { ETHEREUM } from "../../support/console/wallet.ts";

describe("the wallets of a user in the console in a browser", () => {
  const console = useConsole(withSignIn);
  let account: LocalAccount;
  let user: string;
  let users = 0;
  beforeEach(async () => {
    users += 1;
    user = `user-${users}`;
    account = await newAuthor(console.service.rig);
  });

  const list = (page: Page) => page.getByRole("region", { name: "Your wallets" });
  const panel = (page: Page) => page.getByRole("region", { name: "Connect a wallet" });
  const press = (page: Page, name: string) => page.getByRole("button", { name }).click();

  async function open(options: Parameters<typeof console.visit>[1] = {}): Promise<Visitor> {
    const visitor = await console.visit("/wallets", options);
    await signIn(visitor, console.service.issuer, user);
    await list(visitor.page).getByText("connected").first().waitFor();
    return visitor;
  }

  it("connects a wallet by one signature, shows it, and removes it", async () => {
    const fox = console.wallet({ accounts: [account] });
    const { page } = await open({ wallets: [fox, console.wallet({ name: "Bear" })] });
    await panel(page).getByText("I connect this address to this user of the Asset Registry.").waitFor();
    await panel(page).getByText("It costs nothing").waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await page.getByLabel("Name").fill("Of\u202efice");
    await page.getByLabel("Description").fill("Hardware wallet in the safe");
    for (let times = 0; times < 5; times += 1)
      await page.getByRole("button", { name: "Connect with Fox" }).click();
    await page.getByText("is connected", { exact: false }).first().waitFor();
    await list(page).getByRole("heading", { name: "OfU+202Efice" }).waitFor();
    await list(page).getByText(account.address).waitFor();
    await list(page).getByText("Hardware wallet in the safe").waitFor();
    expect(fox.asked("eth_signTypedData_v4")).to.equal(1);
    expect(fox.asked()).to.equal(0);
    expect(await page.getByLabel("Name").inputValue()).to.equal("");
    await expectAccessible(page);
    await expectFitsPhone(page);

    // The account that is selected now is the user's already.
    await press(page, "Connect with Fox");
    await page.getByText("This account is connected already").waitFor();
    expect(fox.asked("eth_signTypedData_v4")).to.equal(1);

    await page.getByRole("button", { name: /^Remove Of/ }).click();
    const dialog = page.getByRole("alertdialog", { name: "Remove this wallet?" });
    await dialog.getByText("You can connect it again at any time.").waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await list(page).getByText("One wallet is connected.").waitFor();
    await page.getByRole("button", { name: /^Remove Of/ }).click();
    await dialog.getByRole("button", { name: "Remove it" }).click();
    await list(page).getByText("No wallet is connected yet").waitFor();
    // Whoever uses the keyboard goes on from there.
    expect(await list(page).getByRole("status").and(page.locator(":focus")).count()).to.equal(1);
    await press(page, "Connect with Fox");
    await list(page).getByText("One wallet is connected.").waitFor();
  });

  it("can be used by the keyboard alone", async () => {
    const { page } = await open({ wallets: [console.wallet({ accounts: [account] })] });
    await page.getByLabel("Name").focus();
    await page.keyboard.type("Office");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await list(page).getByText("One wallet is connected.").waitFor();
    await page.getByRole("button", { name: "Remove Office" }).focus();
    await page.keyboard.press("Enter");
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: "Keep it" })
      .and(page.locator(":focus"))
      .waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove Office" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await list(page).getByText("No wallet is connected yet").waitFor();
  });

  it("says that an account is another user's, and leaves both lists alone", async () => {
    await connect(console.service, await console.service.token("the-other"), account);
    const { page, seen } = await open({ wallets: [console.wallet({ accounts: [account] })] });
    seen.tolerate(/status of 409/);
    await press(page, "Connect with Fox");
    await page.getByText("This account is connected to another user").waitFor();
    await expectAccessible(page);
    await list(page).getByText("No wallet is connected yet").waitFor();
    const { value } = await console.service.get("/wallets/", {
      key: null,
      bearer: await console.service.token("the-other"),
    });
    expect(value).to.have.length(1);
  });

  it("can be tried again after the user declined, closed the wallet or was too late", async () => {
    const fox = console.wallet({ accounts: [account] });
    const { page, seen } = await open({ wallets: [fox] });
    seen.tolerate(/status of 4\d\d/);
    fox.state.decide = "reject";
    await press(page, "Connect with Fox");
    await page.getByText("You declined in your wallet").waitFor();
    fox.state.decide = "hold";
    await press(page, "Connect with Fox");
    (await fox.prompt("wallet_requestPermissions")).approve();
    const prompt = await fox.prompt("eth_signTypedData_v4");
    await page.getByText("Waiting for you to sign in your wallet").waitFor();
    await console.service.pool.query(
      "update service.wallet_initialisations set expires_at = now() - interval '1 s'",
    );
    prompt.approve();
    await page.getByText("The signature came too late").waitFor();
    await expectAccessible(page);
    fox.state.decide = "approve";
    await press(page, "Connect with Fox");
    await list(page).getByText("One wallet is connected.").waitFor();
  });

  it("stops waiting for a wallet that does not answer, and takes a late answer all the same", async () => {
    const fox = console.wallet({ accounts: [account] });
    const { page } = await open({ wallets: [fox] });
    await page.clock.install();
    await page.reload();
    fox.state.decide = "hold";
    await press(page, "Connect with Fox");
    (await fox.prompt("wallet_requestPermissions")).approve();
    const prompt = await fox.prompt("eth_signTypedData_v4");
    await page.clock.fastForward(46_000);
    await page.getByText("Your wallet has not answered yet").waitFor();
    await expectAccessible(page);
    prompt.approve();
    await list(page).getByText("One wallet is connected.").waitFor();
  });

  it("asks for one signature at a time, whatever tab it is asked in", async () => {
    const fox = console.wallet({ accounts: [account] });
    const visitor = await open({ wallets: [fox] });
    const second = await console.tab(visitor, "/wallets");
    await second.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await second.getByRole("button", { name: "Connect with Fox" }).waitFor();
    fox.state.decide = "hold";
    await press(visitor.page, "Connect with Fox");
    (await fox.prompt("wallet_requestPermissions")).approve();
    const prompt = await fox.prompt("eth_signTypedData_v4");
    await press(second, "Connect with Fox");
    await second.getByText("Another tab of this browser is already asking your wallet").waitFor();
    expect(fox.asked("eth_signTypedData_v4")).to.equal(1);
    prompt.approve();
    await list(visitor.page).getByText("One wallet is connected.").waitFor();
  });

  it("brings the wallet to the chain first, and signs on no other", async () => {
    const fox = console.wallet({ accounts: [account], chainId: ETHEREUM, knownChains: [ETHEREUM] });
    const { page } = await open({ wallets: [fox] });
    fox.state.decide = "hold";
    await press(page, "Connect with Fox");
    (await fox.prompt("wallet_requestPermissions")).approve();
    (await fox.prompt("wallet_addEthereumChain")).reject();
    await page.getByText("You declined in your wallet").waitFor();
    expect(fox.asked("eth_signTypedData_v4")).to.equal(0);
    fox.state.decide = "approve";
    await press(page, "Connect with Fox");
    await list(page).getByText("One wallet is connected.").waitFor();
  });

  it("asks no wallet where the service wants something else signed", async () => {
    const fox = console.wallet({ accounts: [account] });
    const { page, context } = await open({ wallets: [fox] });
    await context.route(/\/wallets\/$/, async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      const response = await route.fetch();
      const { value } = await response.json();
      const serializedValue = value.serializedValue.replace("I connect this address", "I give everything");
      await route.fulfill({ response, json: { value: { ...value, serializedValue } } });
    });
    await press(page, "Connect with Fox");
    await page.getByText("asks for something else than this sentence").waitFor();
    expect(fox.asked("eth_signTypedData_v4")).to.equal(0);
    await expectAccessible(page);
  });

  it("follows another account that is selected, and says where there is no wallet", async () => {
    const second = await newAuthor(console.service.rig);
    const fox = console.wallet({ accounts: [account, second] });
    const { page } = await open({ wallets: [fox] });
    await press(page, "Connect with Fox");
    await list(page).getByText("One wallet is connected.").waitFor();
    await fox.selectAccount(second);
    await panel(page).getByText(second.address.slice(0, 8)).waitFor();
    await press(page, "Connect with Fox");
    await list(page).getByText("2 wallets are connected.").waitFor();

    const { page: without } = await open();
    await without.getByText("There is no wallet in this browser").waitFor();
    await expectFitsPhone(without);
  });
});
