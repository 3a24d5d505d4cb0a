import { expect } from "chai";
import type { Page } from "playwright-core";
import type { LocalAccount } from "viem";
import { connect } from "../../support/connect.ts";
import { expectAccessible, expectFitsPhone } from "../../support/console/accessibility.ts";
import { newAuthor } from "../../support/console/author.ts";
import { useConsole, type Visitor } from "../../support/console/console.ts";
import { signIn, withSignIn } from "../../support/console/sign-in.ts";

describe("the inbox of the console in a browser", () => {
  const console = useConsole(withSignIn);
  let author: LocalAccount;
  let user: string;
  let users = 0;
  beforeEach(async () => {
    users += 1;
    user = `user-${users}`;
    author = await newAuthor(console.service.rig);
  });

  const ask = async (fields: object = {}): Promise<{ id: string; transactionId: string }> =>
    (await console.service.post("/assets/", { author: author.address, name: "Lease agreement", ...fields }))
      .value;
  const connectAuthor = async () => connect(console.service, await console.service.token(user), author);
  const waiting = (page: Page) => page.getByRole("region", { name: "Waiting for your signature" });
  const answered = (page: Page) => page.getByRole("region", { name: "Answered and ended" });

  async function open(options: Parameters<typeof console.visit>[1] = {}): Promise<Visitor> {
    const visitor = await console.visit("/inbox", options);
    await signIn(visitor, console.service.issuer, user);
    return visitor;
  }

  it("says what to do while it is empty, and fills by itself", async () => {
    const { page } = await open();
    await page.getByText("Connect a wallet first").waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await page.getByRole("link", { name: "Connect a wallet" }).click();
    await page.getByRole("heading", { name: "Wallets", exact: true }).waitFor();
    await connectAuthor();
    await page.getByRole("link", { name: "Inbox" }).click();
    await page.getByText("Nothing waits for you").waitFor();
    await ask();
    await waiting(page).getByText("One request waits for you.").waitFor();
  });

  it("leads to the page to sign at, and keeps what was answered", async () => {
    await connectAuthor();
    const { id, transactionId } = await ask({ name: "invoice\u202efdp.exe" });
    const fox = console.wallet({ accounts: [author] });
    const { page } = await open({ wallets: [fox] });
    const request = waiting(page).getByRole("article", { name: "Register an asset" });
    await request.getByText("Asked by tenant-a").waitFor();
    await request.getByText("Open until").waitFor();
    await request.getByText("U+202E").waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await request.getByRole("link", { name: "Read and answer" }).click();
    await page.waitForURL(`**/console/sign/${transactionId}`);
    await page.getByRole("button", { name: "Sign with Fox" }).click();
    await page.getByText("On its way into a block").first().waitFor();
    await page.getByRole("link", { name: "Inbox" }).click();
    await page.getByText("Nothing waits for you").waitFor();
    const past = answered(page).getByRole("article", { name: "Register an asset" });
    await past.getByText("Sent to the chain").waitFor();
    await console.service.rig.mine();
    await past.getByText("In a block, not yet final").waitFor();
    await expectAccessible(page);
    await past.getByRole("link", { name: "See the asset" }).click();
    await page.waitForURL(`**/console/assets/${id}`);
  });

  it("says why a request ended", async () => {
    await connectAuthor();
    const { transactionId } = await ask();
    await console.service.pool.query(
      "update service.requests set expires_at = now() - interval '1 s' where id = $1",
      [transactionId],
    );
    const { page } = await open();
    await answered(page).getByText("Nobody signed it in time").waitFor();
    await answered(page).getByRole("link", { name: "See what became of it" }).waitFor();
  });

  it("shows more at each wish, the newest first", async () => {
    await connectAuthor();
    for (let at = 1; at <= 25; at += 1) await ask({ name: `Lease ${at}` });
    const { page } = await open();
    await page.getByText("More than 20 requests wait for you").waitFor();
    const requests = waiting(page).getByRole("article");
    expect(await requests.count()).to.equal(20);
    expect(await requests.first().textContent()).to.contain("Lease 25");
    await waiting(page).getByRole("button", { name: "Show more" }).click();
    await page.getByText("25 requests wait for you").waitFor();
    expect(await requests.last().textContent()).to.contain("Lease 1");
    await expectAccessible(page);
  });
});
