import { expect } from "chai";
import type { Page } from "playwright-core";
import { connect } from "../../support/connect.ts";
import { newAuthor } from "../../support/console/author.ts";
import { useConsole } from "../../support/console/console.ts";
import { signIn, withSignIn } from "../../support/console/sign-in.ts";
import { useSigningPage } from "../../support/console/signing-page.ts";

const stream = "**/events/stream*";

/** What a page asks the service from now on, by the ends of its paths. */
function watchQuestions(page: Page) {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  return (end: string) => asked.filter((path) => path.endsWith(end)).length;
}

describe("following events in a browser", () => {
  const console = useConsole(withSignIn);
  const signing = useSigningPage(console);
  const { shows } = signing;

  it("follows a request by the stream, and asks for nothing while nothing happens", async () => {
    const { transactionId } = await signing.requestAsset();
    const { page } = await console.visit("/no-such-page");
    const open = page.waitForResponse(stream);
    await page.goto(`${console.service.url}/console/sign/${transactionId}`);
    expect((await open).headers()["content-type"]).to.contain("text/event-stream");
    await shows(page, "Read what you sign, then answer.");
    // What it asks once the stream stands.
    await page.waitForResponse(`**/transactions/${transactionId}/status`);
    const asked = watchQuestions(page);
    await page.waitForTimeout(6_000);
    expect(asked("/status")).to.equal(0);
    await console.service.approve(transactionId, signing.author);
    await shows(page, "On its way into a block");
    await console.service.rig.mine();
    await shows(page, "In a block, soon final");
    await console.service.rig.mine(6);
    await shows(page, "Done: it is final");
    expect(asked("/events/stream")).to.equal(0);
  });

  for (const [name, answer] of [
    ["keeps the stream back", undefined],
    ["answers a page of its own", { contentType: "text/html", body: "<p>Welcome" }],
  ] as const) {
    it(`follows a request by asking again and again, where a proxy ${name}`, async () => {
      const { transactionId } = await signing.requestAsset();
      const { page } = await console.visit("/no-such-page");
      await page.route(stream, async (route) => {
        if (answer !== undefined) await route.fulfill(answer);
      });
      await page.goto(`${console.service.url}/console/sign/${transactionId}`);
      await shows(page, "Read what you sign, then answer.");
      await console.service.approve(transactionId, signing.author);
      await shows(page, "On its way into a block");
      await console.service.rig.mine(6);
      await shows(page, "Done: it is final");
    });
  }

  it("fills the inbox by the stream, and reads on after the network was gone", async () => {
    const author = await newAuthor(console.service.rig);
    const user = "follower";
    await connect(console.service, await console.service.token(user), author);
    const visitor = await console.visit("/inbox");
    const { page, context, seen } = visitor;
    const open = page.waitForResponse(stream);
    await signIn(visitor, console.service.issuer, user);
    await open;
    await page.getByText("Nothing waits for you").waitFor();
    // What it asks once the stream stands.
    await page.waitForTimeout(1_000);
    const ask = () => console.service.post("/assets/", { author: author.address, name: "Lease" });
    const asked = watchQuestions(page);
    await page.waitForTimeout(6_000);
    expect(asked("/transactions/")).to.equal(0);
    await ask();
    await page.getByText("One request waits for you.").waitFor();
    seen.tolerate(/ERR_INTERNET_DISCONNECTED/);
    await context.setOffline(true);
    await ask();
    const again = page.waitForResponse(stream);
    await context.setOffline(false);
    await again;
    await page.getByText("2 requests wait for you.").waitFor();
  });

  it("has one stream in a tab, which ends with its page", async () => {
    const { transactionId } = await signing.requestAsset();
    const { page } = await console.visit("/no-such-page");
    const open = page.waitForRequest(stream);
    await page.goto(`${console.service.url}/console/sign/${transactionId}`);
    await (await open).response();
    const ended = page.waitForEvent("requestfailed", (request) => request.url().includes("/events/stream"));
    await page.getByRole("link", { name: "Verify" }).first().click();
    await ended;
    const asked = watchQuestions(page);
    await page.goBack();
    await page.waitForResponse(stream);
    expect(asked("/events/stream")).to.equal(1);
  });
});
