import { expect } from "chai";
import { useConsole } from "../../support/console/console.ts";
import { resourceUser, startResourceProvider } from "../../support/console/resource-provider.ts";

const audience = "https://registry.example/api";

describe("signing in to the console where the service has an audience of its own", () => {
  let provider: Awaited<ReturnType<typeof startResourceProvider>>;
  before(async () => {
    provider = await startResourceProvider(audience);
  });
  after(() => provider.stop());
  const console = useConsole({
    environment: () => ({
      OIDC_ISSUER: provider.issuer,
      OIDC_AUDIENCE: audience,
      OIDC_CLIENT_ID: "console",
    }),
  });

  it("sends the service an access token for it, and calls the user by their name", async () => {
    const fox = console.wallet();
    const { page, seen } = await console.visit("/wallets", { wallets: [fox] });
    seen.allow(provider.issuer);
    const asked = page.waitForRequest(/\/auth\?/);
    await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    const { searchParams } = new URL((await asked).url());
    expect(searchParams.get("resource")).to.equal(audience);
    expect(searchParams.get("code_challenge_method")).to.equal("S256");
    await page.getByRole("banner").getByText("Alice U+202EExample").waitFor();
    await page.getByRole("button", { name: "Connect with Fox" }).click();
    await page.getByText("One wallet is connected.").waitFor();
    const { rows } = await console.service.pool.query("select issuer, subject from service.wallets");
    expect(rows).to.deep.equal([{ issuer: provider.issuer, subject: resourceUser.sub }]);
  });
});
