import { expect } from "chai";
import { owner } from "../../support/chain/accounts.ts";
import { connect } from "../../support/connect.ts";
import { expectAccessible } from "../../support/console/accessibility.ts";
import { useConsole } from "../../support/console/console.ts";
import { signIn, withSignIn } from "../../support/console/sign-in.ts";

describe("the inbox of the console, over time", () => {
  const console = useConsole(withSignIn);

  it("keeps what it shows while the service is away, and shows nothing of it to the next user", async () => {
    const { service } = console;
    await connect(service, await service.token("alice"), owner);
    await service.post("/assets/", { author: owner.address, name: "Lease agreement" });
    const visitor = await console.visit("/inbox");
    await signIn(visitor, service.issuer, "alice");
    const { page, context, seen } = visitor;
    const waiting = page.getByRole("region", { name: "Waiting for your signature" });
    await waiting.getByText("One request waits for you.").waitFor();
    seen.tolerate(/ERR_FAILED|Failed to load resource/);
    await context.route(/\/transactions\//, (route) => route.abort());
    await waiting.getByText("What is shown is as of before.").waitFor({ timeout: 25_000 });
    expect(await waiting.getByRole("article").count()).to.equal(1);
    await expectAccessible(page);
    await context.unroute(/\/transactions\//);
    await waiting.getByText("What is shown is as of before.").waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    await signIn(visitor, service.issuer, "somebody-else");
    await page.getByText("Connect a wallet first").waitFor();
    expect(await page.getByRole("article").count()).to.equal(0);
  });
});
