import { hash, randomBytes } from "node:crypto";
import { expect } from "chai";
import { isConsolePage } from "../../../scripts/local/console-redirects.ts";
import { type IdentityProvider, startIdentityProvider } from "../../../scripts/local/identity-provider.ts";
import { demoUsers } from "../../../scripts/local/sign-in-page.ts";
import { startApi, type TestApi } from "../../support/api.ts";

const audience = "asset-registry";
const redirect = "http://127.0.0.1:3000/console/signed-in";
const origin = "http://127.0.0.1:3000";

type Discovered = Record<"authorization_endpoint" | "token_endpoint" | "end_session_endpoint", string>;

/** A browser's part in it: cookies, and redirects that are looked at one by one. */
function openTab() {
  const jar = new Map<string, string>();
  return async (url: string | URL, form?: Record<string, string>) => {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { Cookie: [...jar].map((pair) => pair.join("=")).join("; ") },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get("location");
    return { response, to: location === null ? undefined : new URL(location, url) };
  };
}

describe("signing in at the identity provider for development, as the console does", () => {
  let provider: IdentityProvider;
  let api: TestApi;
  let found: Discovered;

  before(async () => {
    provider = await startIdentityProvider({ port: 0, audience, publicUrl: "https://dev.example/" });
    api = await startApi({ issuer: provider.issuer });
    const discovery = await fetch(`${provider.issuer}/.well-known/openid-configuration`, {
      headers: { Origin: origin },
    });
    expect(discovery.headers.get("access-control-allow-origin")).to.equal(origin);
    found = (await discovery.json()) as Discovered;
  });
  after(async () => {
    await api.stop();
    await provider.stop();
  });

  const verifier = randomBytes(32).toString("base64url");
  function authorization(change: Record<string, string | undefined> = {}): URL {
    const parameters = {
      client_id: audience,
      response_type: "code",
      scope: "openid",
      redirect_uri: redirect,
      state: "where I was",
      code_challenge: hash("sha256", verifier, "base64url"),
      code_challenge_method: "S256",
      ...change,
    };
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    return new URL(`${found.authorization_endpoint}?${new URLSearchParams(given as [string, string][])}`);
  }
  const exchange = (code: string, codeVerifier: string) =>
    fetch(found.token_endpoint, {
      method: "POST",
      headers: { Origin: origin },
      body: new URLSearchParams({
        grant_type: "authorization_code",
        client_id: audience,
        code,
        redirect_uri: redirect,
        code_verifier: codeVerifier,
      }),
    });
  /** As far as the page of the sign-in. */
  async function begin(tab: ReturnType<typeof openTab>) {
    const { to } = await tab(authorization());
    expect(to?.pathname).to.match(/^\/sign-in\//);
    return to as URL;
  }

  it("gives a page that asks for the user a token that the API takes", async () => {
    const tab = openTab();
    const page = await begin(tab);
    const { response } = await tab(page);
    const html = await response.text();
    for (const name of demoUsers) expect(html).to.contain(`value="${name}"`);
    expect(html).not.to.match(/https?:|<script|@import/);
    expect(response.headers.get("content-security-policy")).to.match(
      /^default-src 'none'; style-src 'sha256-/,
    );

    const chosen = await tab(page, { user: "alice" });
    const back = await tab(chosen.to as URL);
    expect(back.to?.href.startsWith(`${redirect}?`), back.to?.href).to.equal(true);
    expect(back.to?.searchParams.get("state")).to.equal("where I was");
    const answer = await exchange(back.to?.searchParams.get("code") ?? "", verifier);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get("access-control-allow-origin")).to.equal(origin);
    const { id_token: bearer } = (await answer.json()) as { id_token: string };
    expect((await api.get("/wallets/", { key: null, bearer })).status).to.equal(200);
    const { value } = await api.post("/wallets/", undefined, { key: null, bearer });
    expect(value.userId).to.equal("alice");
  });

  it("refuses whoever has the code without what it was asked with", async () => {
    const tab = openTab();
    const page = await begin(tab);
    const chosen = await tab(page, { user: "bob" });
    const back = await tab(chosen.to as URL);
    const code = back.to?.searchParams.get("code") ?? "";
    expect(code).to.have.length.above(20);
    expect((await exchange(code, randomBytes(32).toString("base64url"))).status).to.equal(400);
    const bare = await openTab()(
      authorization({ code_challenge: undefined, code_challenge_method: undefined }),
    );
    expect(bare.to?.searchParams.get("error")).to.equal("invalid_request");
  });

  it("takes any name of a user, and says of others why not", async () => {
    const tab = openTab();
    const page = await begin(tab);
    for (const user of ["", "a b", "<script>", "a".repeat(5_000)]) {
      const { response } = await tab(page, { user });
      expect(response.status, user.slice(0, 10)).to.equal(400);
      expect(await response.text())
        .to.contain("A user name has 1 to 64")
        .and.not.contain("<script>");
    }
    const { response } = await tab(page, { user: "dora@example.org" });
    expect(response.status).to.equal(303);
  });

  it("leads back with a refusal where it is cancelled", async () => {
    const tab = openTab();
    const page = await begin(tab);
    const cancelled = await tab(page, { cancel: "yes" });
    const back = await tab(cancelled.to as URL);
    expect(back.to?.searchParams.get("error")).to.equal("access_denied");
    expect(back.to?.href.startsWith(redirect)).to.equal(true);
  });

  it("says that a sign-in is over, or was begun elsewhere", async () => {
    const page = await begin(openTab());
    for (const url of [page, new URL("/sign-in/unknown", page)]) {
      const { response } = await openTab()(url);
      expect(response.status).to.equal(400);
      expect(await response.text()).to.match(/^This sign-in is over/);
    }
  });

  it("signs out where the user says so, and leads back to the console", async () => {
    const tab = openTab();
    const page = await begin(tab);
    const chosen = await tab(page, { user: "alice" });
    await tab(chosen.to as URL);
    const known = await tab(authorization());
    expect(known.to?.searchParams.has("code"), "is signed in").to.equal(true);

    const asked = { client_id: audience, post_logout_redirect_uri: `${origin}/console/`, state: "s" };
    const { response } = await tab(`${found.end_session_endpoint}?${new URLSearchParams(asked)}`);
    const html = await response.text();
    expect(html)
      .to.contain("Sign out?")
      .and.not.match(/<script|@import/);
    const [, action = ""] = /action="([^"]+)"/.exec(html) ?? [];
    const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(html) ?? [];
    const done = await tab(action, { xsrf, logout: "yes" });
    expect(done.to?.href).to.equal(`${origin}/console/?state=s`);
    expect((await tab(authorization())).to?.pathname).to.match(/^\/sign-in\//);
  });

  it("leads back to pages of the console alone", async () => {
    const { response, to } = await openTab()(
      authorization({ redirect_uri: "https://evil.example/console/" }),
    );
    expect({ status: response.status, to }).to.deep.equal({ status: 400, to: undefined });
    expect(response.headers.get("content-type")).to.equal("text/plain; charset=utf-8");
    expect(await response.text()).to.match(/^The identity provider refuses: redirect_uri did not match/);
    for (const [url, is] of [
      ["http://127.0.0.1:3000/console/", true],
      ["http://localhost:4567/console/signed-in?a=b", true],
      ["https://dev.example/console/signed-in", true],
      ["https://dev.example/consoles", false],
      ["https://dev.example.evil.example/console/", false],
      ["https://dev.example@evil.example/console/", false],
      ["http://me:secret@127.0.0.1:3000/console/", false],
      ["http://127.0.0.1:3000/console/#x", false],
      ["http://127.0.0.1:3000/console/../x", false],
      ["http://127.0.0.1:3000/", false],
      ["http://127.0.0.1.evil.example/console/", false],
      ["javascript:alert(1)", false],
      ["nothing", false],
    ] as const) {
      expect(isConsolePage(url, "https://dev.example/"), url).to.equal(is);
    }
  });
});
