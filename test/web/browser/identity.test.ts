import { expect } from "chai";
import { expectAccessible, expectFitsPhone } from "../../support/console/accessibility.ts";
import { useConsole } from "../../support/console/console.ts";
import { chooseUser, signIn, withSignIn } from "../../support/console/sign-in.ts";

const provider = "**/.well-known/openid-configuration";

describe("signing in to the console in a browser", () => {
  const console = useConsole(withSignIn);

  it("leads to the provider and back to the page where it began, and signs out there too", async () => {
    const { service } = console;
    const visitor = await console.visit("/wallets?from=test");
    const { page, context } = visitor;
    await page.getByRole("heading", { name: "Sign in first" }).waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await signIn(visitor, service.issuer, "alice");
    expect(page.url()).to.equal(`${service.url}/console/wallets?from=test`);
    await page.getByRole("banner").getByText("alice").waitFor();
    await expectFitsPhone(page);
    // Nothing of it outlives the tab.
    const kept = await page.evaluate(() =>
      Object.keys((globalThis as unknown as { localStorage: object }).localStorage),
    );
    expect(kept.filter((key) => /sign-in|session/.test(key))).to.deep.equal([]);
    expect((await context.cookies(service.url)).filter(({ name }) => /asset/.test(name))).to.deep.equal([]);

    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign out?" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    await expectAccessible(page);
    await page.goto(`${service.url}/console/inbox`);
    await page.getByRole("heading", { name: "Sign in first" }).waitFor();
  });

  it("signs in from the header, on any page", async () => {
    const { page, seen } = await console.visit("/no-such-page");
    seen.allow(console.service.issuer);
    await page.getByRole("banner").getByRole("button", { name: "Sign in" }).click();
    await chooseUser(page, "bob");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    await page.getByRole("banner").getByText("bob").waitFor();
  });

  it("says that the sign-in was cancelled, and starts another", async () => {
    const { page, seen } = await console.visit("/wallets");
    seen.allow(console.service.issuer);
    await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("was cancelled at the identity provider").waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await chooseUser(page, "alice");
    await page.waitForURL("**/console/wallets");
  });

  it("comes back to the page that checks files with the policy of its own, under which any node can be asked", async () => {
    const { page, seen } = await console.visit("/verify");
    seen.allow(console.service.issuer);
    await page.getByRole("banner").getByRole("button", { name: "Sign in" }).click();
    const document = page.waitForResponse(/\/console\/verify$/);
    await chooseUser(page, "alice");
    expect((await document).headers()["content-security-policy"]).to.contain("wss:");
    await page.getByRole("button", { name: "Sign out" }).waitFor();
  });

  it("shows the provider's own words where it declines", async () => {
    const { page, seen, context } = await console.visit("/inbox");
    seen.allow(console.service.issuer);
    await context.route(/\/auth\?/, async (route) => {
      const asked = new URL(route.request().url()).searchParams;
      const back = new URL(asked.get("redirect_uri") ?? "");
      back.searchParams.set("state", asked.get("state") ?? "");
      back.searchParams.set("error", "unauthorized_client");
      back.searchParams.set("error_description", "not\u202e for you <b>yet</b>");
      await route.fulfill({ status: 303, headers: { Location: back.href } });
    });
    await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The identity provider declined").waitFor();
    await page.getByText("It said: notU+202E for you <b>yet</b>").waitFor();
    await expectAccessible(page);
  });

  it("says that the provider cannot be reached, before its page, after it and when signing out", async () => {
    const { page, seen, context } = await console.visit("/inbox");
    seen.allow(console.service.issuer);
    seen.tolerate(/ERR_FAILED|Failed to load resource/);
    await context.route(provider, (route) => route.abort());
    await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The identity provider cannot be reached").waitFor();
    await context.unroute(provider);
    await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await context.route("**/token", (route) => route.abort());
    await chooseUser(page, "alice");
    await page.getByText("The identity provider cannot be reached").waitFor();
    await context.unroute("**/token");
    // The provider knows by now who it is.
    await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("**/console/inbox");
    await page.getByRole("banner").getByText("alice").waitFor();

    await context.route(provider, (route) => route.abort());
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("The identity provider could not be told").waitFor();
    await expectAccessible(page);
  });

  it("takes no answer that this tab did not ask for, and none twice", async () => {
    const { service } = console;
    const visitor = await console.visit("/signed-in?code=stolen&state=of-another");
    const { page, seen } = visitor;
    await page.getByText("does not belong to this tab").waitFor();
    expect(page.url()).to.equal(`${service.url}/console/signed-in`);
    await page.goto(`${service.url}/console/signed-in?error=x&error_description=Call%20us&state=of-another`);
    await page.getByText("does not belong to this tab").waitFor();
    expect(await page.getByText("Call us").count()).to.equal(0);

    seen.allow(service.issuer);
    const answered = page.waitForRequest(/\/console\/signed-in\?code=/);
    await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await chooseUser(page, "alice");
    const answer = (await answered).url();
    await page.waitForURL("**/console/inbox");
    await page.goto(answer);
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    await page.getByRole("link", { name: "Go on to your inbox" }).click();
    await page.waitForURL("**/console/inbox");

    const other = await console.tab(visitor, answer.slice(`${service.url}/console`.length));
    await other.getByText("does not belong to this tab").waitFor();
  });

  it("lets each tab sign in by itself, and signs all of them out at once", async () => {
    const { service } = console;
    const visitor = await console.visit("/inbox");
    await signIn(visitor, service.issuer, "alice");
    const second = await console.tab(visitor, "/wallets");
    await second.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await second.getByRole("button", { name: "Sign out" }).waitFor();
    await second.getByRole("button", { name: "Sign out" }).click();
    await second.getByRole("heading", { name: "Sign out?" }).waitFor();
    await visitor.page.getByRole("heading", { name: "Sign in first" }).waitFor();
  });

  it("signs out a tab that was elsewhere when another one signed out", async () => {
    const { service } = console;
    const visitor = await console.visit("/inbox");
    await signIn(visitor, service.issuer, "alice");
    await visitor.page.goto(`${service.url}/openapi.json`);
    const second = await console.tab(visitor, "/wallets");
    await second.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await second.getByRole("button", { name: "Sign out" }).click();
    await second.getByRole("heading", { name: "Sign out?" }).waitFor();
    await visitor.page.goto(`${service.url}/console/inbox`);
    await visitor.page.getByRole("heading", { name: "Sign in first" }).waitFor();
    await visitor.page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await visitor.page.getByRole("button", { name: "Sign out" }).waitFor();
    await visitor.page.reload();
    await visitor.page.getByRole("button", { name: "Sign out" }).waitFor();
  });

  it("says that the sign-in has ended, and leads back to the page", async () => {
    const visitor = await console.visit("/inbox");
    const { page, seen } = visitor;
    await signIn(visitor, console.service.issuer, "alice");
    await page.clock.install();
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.clock.fastForward("01:01:00");
    await page.getByRole("heading", { name: "Your sign-in has ended" }).waitFor();
    await expectAccessible(page);
    await page.clock.resume();
    await page.getByRole("button", { name: "Sign in again" }).click();
    await page.waitForURL("**/console/inbox");
    await page.getByRole("button", { name: "Sign out" }).waitFor();

    // The service takes the token no more, whatever the clock says.
    seen.tolerate(/status of 401/);
    await page.evaluate(() => {
      const { sessionStorage } = globalThis as unknown as { sessionStorage: Record<string, string> };
      const session = JSON.parse(sessionStorage["asset-registry-session"] ?? "");
      sessionStorage["asset-registry-session"] = JSON.stringify({ ...session, token: "another" });
    });
    await page.reload();
    await page.getByRole("heading", { name: "Your sign-in has ended" }).waitFor();
  });
});
