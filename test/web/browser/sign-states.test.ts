import { expect } from "chai";
import { parseEther } from "viem";
import { expectAccessible, expectFitsPhone } from "../../support/console/accessibility.ts";
import { useConsole } from "../../support/console/console.ts";
import { useSigningPage } from "../../support/console/signing-page.ts";
import { eventually } from "../../support/eventually.ts";

describe("the signing page and what becomes of a request, in a browser", () => {
  const console = useConsole();
  const signing = useSigningPage(console);
  const { open, shows, press } = signing;

  it("follows a reorg back and forth while it is watched", async () => {
    const { rig } = console.service;
    const { page, fox } = await open();
    await press(page, "Sign with Fox");
    await shows(page, "On its way into a block");
    await rig.mine();
    await shows(page, "In a block, soon final");
    const hash =
      fox.sent.length === 1 && (await rig.chain.getBlock({ includeTransactions: false })).transactions[0];
    const raw = await rig.anvil.rpc("eth_getRawTransactionByHash", [hash]);
    await rig.anvil.rpc("anvil_reorg", [1, []]);
    await rig.mine();
    await shows(page, "A reorganisation of the chain took back what stood before.");
    await expectAccessible(page);
    await rig.anvil.rpc("eth_sendRawTransaction", [raw]);
    await rig.mine();
    await shows(page, "In a block, soon final");
    await rig.mine(5);
    await shows(page, "Done: it is final");
  });

  it("says that time is over", async () => {
    const { page, transactionId } = await open();
    await console.service.pool.query("update service.requests set expires_at = now() where id = $1", [
      transactionId,
    ]);
    await shows(page, "Nobody signed it in time.");
    expect(await page.getByRole("button", { name: /Sign with/ }).count()).to.equal(0);
    await expectAccessible(page);
    await expectFitsPhone(page);
  });

  it("says that it was signed on another device", async () => {
    const { page, transactionId, fox } = await open();
    await console.service.approve(transactionId, signing.author);
    // It is asked for once more before the wallet is.
    await press(page, "Sign with Fox").catch(() => undefined);
    await shows(page, "On its way into a block");
    expect(fox.asked()).to.equal(0);
  });

  it("ends well for an author who signs it in two browsers at once", async () => {
    const { rig } = console.service;
    const first = await open();
    const phone = console.wallet({ name: "Phone", accounts: [signing.author] });
    const second = await console.visit(`/sign/${first.transactionId}`, {
      wallets: [phone],
      viewport: { width: 390, height: 844 },
    });
    await second.page.getByRole("button", { name: "Sign with Phone" }).waitFor();
    for (const wallet of [first.fox, phone]) wallet.state.decide = "hold";
    await press(first.page, "Sign with Fox");
    await press(second.page, "Sign with Phone");
    for (const wallet of [first.fox, phone]) (await wallet.prompt("wallet_requestPermissions")).approve();
    for (const wallet of [first.fox, phone]) (await wallet.prompt("eth_sendTransaction")).approve();
    for (const { page } of [first, second]) await shows(page, "On its way into a block");
    await rig.mine(6);
    for (const { page } of [first, second]) await shows(page, "Done: it is final");
  });

  it("says that it was cancelled in the wallet, and rejected by the chain", async () => {
    const { rig } = console.service;
    const cancelled = await open();
    await press(cancelled.page, "Sign with Fox");
    await shows(cancelled.page, "On its way into a block");
    await cancelled.fox.replace({ to: signing.author.address, data: "0x" });
    await rig.mine();
    await shows(cancelled.page, "The account used the transaction's number for another one");

    const failed = await open();
    failed.fox.state.changes = { gas: "0xea60" };
    await press(failed.page, "Sign with Fox");
    await shows(failed.page, "On its way into a block");
    await rig.mine();
    await shows(failed.page, "The chain rejected it");
    await shows(failed.page, "Its gas limit was too low.");
  });

  it("waits while the service is away, and tells it afterwards what was signed", async () => {
    const { page, fox, seen, context, transactionId } = await open();
    seen.tolerate(/ERR_CONNECTION_REFUSED/);
    fox.state.decide = "hold";
    await press(page, "Sign with Fox");
    (await fox.prompt("wallet_requestPermissions")).approve();
    const prompt = await fox.prompt("eth_sendTransaction");
    await context.route("**/transactions/**", (route) => route.abort("connectionrefused"));
    fox.state.withholds = true;
    prompt.approve();
    await shows(page, "Signed; the service is still to be told");
    const reported = () =>
      console.service.pool.query("select from service.reported_hashes where request_id = $1", [
        transactionId,
      ]);
    expect((await reported()).rowCount).to.equal(0);
    await page.reload();
    await shows(page, "The request cannot be shown just now");
    await context.unroute("**/transactions/**");
    await shows(page, "You have signed it");
    await eventually("the hash reported", reported, ({ rowCount }) => rowCount === 1);
  });

  it("is opened while the service is away", async () => {
    const { transactionId } = await signing.requestAsset();
    const { page, seen, context } = await console.visit("/no-such-page");
    seen.tolerate(/ERR_CONNECTION_REFUSED/);
    await context.route("**/transactions/**", (route) => route.abort("connectionrefused"));
    await page.goto(`${console.service.url}/console/sign/${transactionId}`);
    await shows(page, "The request cannot be shown just now");
    await context.unroute("**/transactions/**");
    await page.getByRole("heading", { name: "Request to register an asset" }).waitFor();
  });

  it("asks no wallet for bytes that are not what the words say", async () => {
    const { transactionId } = await signing.requestAsset();
    const gift = await signing.requestAsset({ name: "Gift" });
    const { value } = await console.service.get(`/transactions/${gift.transactionId}`);
    const fox = console.wallet({ accounts: [signing.author], connected: true });
    const { page, context } = await console.visit("/no-such-page", { wallets: [fox] });
    await context.route(`**/transactions/${transactionId}`, async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({ json: { value: { ...answer.value, data: value.data } } });
    });
    await page.goto(`${console.service.url}/console/sign/${transactionId}`);
    await shows(page, "Do not sign: the bytes say something else than the words");
    expect(await page.getByRole("button", { name: /Sign with|Refuse with/ }).count()).to.equal(0);
    expect(fox.asked() + fox.asked("eth_signTypedData_v4")).to.equal(0);
    await expectAccessible(page);
  });

  it("leads nowhere for an id that nobody has, and for one that was cut short", async () => {
    for (const id of ["ddc3911c-7d43-4a6c-9d3d-1f1f6f5f7a10", "ddc3911c"]) {
      const { page, seen } = await console.visit(`/no-such-page`);
      seen.tolerate(/status of 40[04]/);
      await page.goto(`${console.service.url}/console/sign/${id}`);
      await shows(page, "This link leads to no request");
      await expectAccessible(page);
    }
  });

  it("shows odd words inert, and long ones whole only when asked", async () => {
    const name = "invoice\u202efdp.exe\u200d <img src=x onerror=alert(1)>";
    const { page } = await open({ name, data: "x".repeat(20_000), uri: "javascript:alert(1)" });
    await shows(page, "U+202E");
    await shows(page, "<img src=x onerror=alert(1)>");
    expect(await page.locator("main img[src=x], main a[href^=javascript]").count()).to.equal(0);
    await expectFitsPhone(page);
    await page.getByRole("button", { name: "Show all" }).first().click();
    await expectFitsPhone(page);
  });

  it("warns an author who cannot pay", async () => {
    const { rig } = console.service;
    await rig.chain.setBalance({ address: signing.author.address, value: 0n });
    const { page } = await open();
    await shows(page, "holds 0 of the chain's currency");
    await rig.chain.setBalance({ address: signing.author.address, value: parseEther("1") });
  });
});
