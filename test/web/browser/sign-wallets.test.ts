import { expect } from "chai";
import { other } from "../../support/chain/accounts.ts";
import { expectAccessible } from "../../support/console/accessibility.ts";
import { useConsole } from "../../support/console/console.ts";
import { useSigningPage } from "../../support/console/signing-page.ts";
import { ETHEREUM, WalletError } from "../../support/console/wallet.ts";
import { eventually } from "../../support/eventually.ts";

describe("the signing page and wallets that misbehave, in a browser", () => {
  const console = useConsole();
  const signing = useSigningPage(console);
  const { open, shows, press } = signing;

  it("asks nothing of another account than the author's, and shows both", async () => {
    const { page, fox } = await open();
    await fox.selectAccount(other);
    await press(page, "Sign with Fox");
    await shows(page, "Another account is selected in your wallet");
    const alert = page.getByRole("alert").filter({ hasText: "Asked for" });
    expect(await alert.textContent())
      .to.contain(signing.author.address)
      .and.to.contain(other.address);
    await expectAccessible(page);
    expect(fox.asked()).to.equal(0);
    await fox.selectAccount(signing.author);
    await alert.waitFor({ state: "hidden" });
    await press(page, "Sign with Fox");
    await shows(page, "On its way into a block");
  });

  it("has the wallet offer its accounts when it is asked again while another one is selected", async () => {
    const { page, fox } = await open();
    await fox.selectAccount(other);
    await press(page, "Sign with Fox");
    await shows(page, "Another account is selected in your wallet");
    fox.state.decide = "hold";
    await press(page, "Sign with Fox");
    const choice = await fox.prompt("wallet_requestPermissions");
    await shows(page, "Waiting for your wallet to share its account");
    await fox.selectAccount(signing.author);
    choice.approve();
    (await fox.prompt("eth_sendTransaction")).approve();
    await shows(page, "On its way into a block");
    expect(fox.asked()).to.equal(1);
  });

  it("asks nothing when the account changes after the page looked", async () => {
    const { page, fox } = await open();
    await press(page, "Sign with Fox");
    await shows(page, "On its way into a block");
    const next = await signing.requestAsset();
    await page.goto(`${console.service.url}/console/sign/${next.transactionId}`);
    await page.getByText("Use another wallet or account").waitFor();
    // The wallet says so only when it is asked.
    fox.state.accounts = [other];
    await press(page, "Sign with Fox");
    await shows(page, "Another account is selected in your wallet");
    expect(fox.asked()).to.equal(1);
  });

  it("may be declined, at each prompt, and tried again", async () => {
    const { page, fox, transactionId } = await open();
    fox.state.chainId = ETHEREUM;
    fox.state.decide = "reject";
    for (const step of ["connection", "network", "signature"]) {
      await press(page, "Sign with Fox");
      await shows(page, "You declined in your wallet");
      expect((await console.service.get(`/transactions/${transactionId}`)).value.state, step).to.equal(
        "Received",
      );
      if (step === "connection") fox.state.connected = true;
      if (step === "network") fox.state.chainId = console.service.rig.registry.chainId;
    }
    fox.state.decide = "approve";
    await press(page, "Sign with Fox");
    await shows(page, "On its way into a block");
  });

  it("brings the wallet to the chain each time, and says where it cannot", async () => {
    const { page, fox } = await open();
    await fox.selectChain(ETHEREUM);
    fox.state.failing.set("wallet_switchEthereumChain", new WalletError(-32601, "no such method"));
    await press(page, "Sign with Fox");
    await shows(page, "Your wallet cannot do this");
    fox.state.failing.clear();
    await press(page, "Sign with Fox");
    await shows(page, "On its way into a block");
    expect(fox.calls.filter(({ method }) => method === "wallet_switchEthereumChain")).to.have.length(2);
  });

  it("sends nothing by a wallet that changes its chain while it asks", async () => {
    const { page, fox } = await open();
    fox.state.decide = "hold";
    await press(page, "Sign with Fox");
    (await fox.prompt("wallet_requestPermissions")).approve();
    const prompt = await fox.prompt("eth_sendTransaction");
    expect(prompt.params).to.have.nested.property("[0].chainId", "0x7a69");
    await fox.selectChain(ETHEREUM);
    prompt.approve();
    await shows(page, "Your wallet could not do it");
    expect(fox.sent).to.deep.equal([]);
  });

  it("asks once, however often it is clicked and in however many tabs", async () => {
    const visitor = await open();
    const { page, fox, transactionId } = visitor;
    fox.state.connected = true;
    fox.state.decide = "hold";
    await page.reload();
    const button = page.getByRole("button", { name: "Sign with Fox" });
    await button.waitFor();
    await button.evaluate((element) => {
      for (let clicks = 0; clicks < 5; clicks += 1) (element as unknown as { click(): void }).click();
    });
    const prompt = await fox.prompt("eth_sendTransaction");
    const second = await console.tab(visitor, `/sign/${transactionId}`);
    await press(second, "Sign with Fox");
    await shows(second, "Another tab of this browser is already asking your wallet");
    expect(fox.asked()).to.equal(1);
    prompt.approve();
    await shows(page, "On its way into a block");
    await shows(second, "On its way into a block");
    expect(fox.asked()).to.equal(1);
    // Neither is kept here: the state is the service's.
    await second.evaluate(() => {
      type Stores = Record<"localStorage" | "sessionStorage", { clear(): void }>;
      const { localStorage, sessionStorage } = globalThis as unknown as Stores;
      localStorage.clear();
      sessionStorage.clear();
    });
    await second.reload();
    await shows(second, "On its way into a block");
  });

  it("knows after a reload that the wallet was asked, and what came of it from the service", async () => {
    const { page, fox } = await open();
    fox.state.decide = "hold";
    await press(page, "Sign with Fox");
    (await fox.prompt("wallet_requestPermissions")).approve();
    const prompt = await fox.prompt("eth_sendTransaction");
    await page.reload();
    await shows(page, "Your wallet was asked already");
    prompt.approve();
    await eventually(
      "the transaction sent",
      async () => fox.sent.length,
      (count) => count === 1,
    );
    await console.service.rig.mine();
    await shows(page, "In a block, soon final");
  });

  it("does not wait for ever for a wallet that does not answer, and takes a late answer", async () => {
    const { page, fox } = await open();
    await page.clock.install();
    fox.state.decide = "hold";
    await press(page, "Sign with Fox");
    const prompt = await fox.prompt("wallet_requestPermissions");
    await page.clock.runFor(46_000);
    await shows(page, "Your wallet has not answered yet");
    await press(page, "Sign with Fox");
    await page.clock.runFor(1_000);
    await shows(page, "Your wallet is already asking you something");
    prompt.approve();
    (await fox.prompt("eth_sendTransaction")).approve();
    await eventually(
      "the transaction sent",
      async () => fox.sent.length,
      (count) => count === 1,
    );
    await eventually(
      "its state shown",
      async () => {
        await page.clock.runFor(1_000);
        return await page.locator("main").textContent();
      },
      (text) => text?.includes("On its way into a block") === true,
    );
  });

  it("notices a wallet that sends something else", async () => {
    const { page, fox, transactionId } = await open();
    fox.state.changes = { to: other.address, data: "0x", value: "0x1" };
    await press(page, "Sign with Fox");
    await shows(page, "Your wallet sent something else than it was asked for");
    await console.service.rig.mine();
    expect((await console.service.get(`/transactions/${transactionId}`)).value.state).to.equal("Received");
  });

  it("says of a wallet without typed data that it cannot refuse, and of one without funds what is missing", async () => {
    const { page, fox } = await open();
    fox.state.lacks.add("eth_signTypedData_v4");
    await page.getByText("I do not want to sign").click();
    await press(page, "Refuse with Fox");
    await shows(page, "Your wallet cannot do this");
    fox.state.failing.set(
      "eth_sendTransaction",
      new WalletError(-32000, "insufficient funds for gas * price + value"),
    );
    await press(page, "Sign with Fox");
    await shows(page, "The account cannot pay for the transaction");
  });

  it("takes gas, fees and nonce as the wallet has them, and what it sends in its place", async () => {
    const { page, fox } = await open();
    fox.state.changes = { gas: "0x493e0", maxFeePerGas: "0x12a05f2000" };
    await press(page, "Sign with Fox");
    await shows(page, "On its way into a block");
    const faster = await fox.replace();
    await console.service.rig.mine();
    await shows(page, "In a block, soon final");
    await page.locator(`code[title="${faster}"]`).waitFor();
  });

  it("asks a wallet that was locked without a word for its account again", async () => {
    const { page, fox } = await open();
    fox.state.connected = true;
    await page.reload();
    await page.getByText("Use another wallet or account").waitFor();
    fox.state.connected = false;
    fox.state.decide = "hold";
    await press(page, "Sign with Fox");
    (await fox.prompt("eth_requestAccounts")).approve();
    (await fox.prompt("eth_sendTransaction")).approve();
    await shows(page, "On its way into a block");
  });

  it("goes on with a wallet that was disconnected", async () => {
    const { page, fox } = await open();
    fox.state.decide = "hold";
    await press(page, "Sign with Fox");
    (await fox.prompt("wallet_requestPermissions")).approve();
    await fox
      .prompt("eth_sendTransaction")
      .then((prompt) => prompt.reject(new WalletError(4900, "disconnected")));
    await shows(page, "Your wallet does not reach the chain");
    await fox.disconnect();
    fox.state.decide = "approve";
    await press(page, "Sign with Fox");
    await shows(page, "On its way into a block");
  });
});
