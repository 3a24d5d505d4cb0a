import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { limits } from "../../../domain/limits.ts";
import { nowhere, startApi } from "../../support/api.ts";
import { builtConsole } from "../../support/built-console.ts";

type Started = Awaited<ReturnType<typeof startApi>>;

const settingsOf = async ({ url }: Started) => {
  const answer = await fetch(`${url}/console/settings.json`);
  expect(answer.status).to.equal(200);
  expect(answer.headers.get("content-type")).to.equal("application/json; charset=utf-8");
  expect(answer.headers.get("cache-control")).to.equal("public, max-age=60");
  return (await answer.json()) as Record<string, unknown>;
};

describe("the settings of the console", () => {
  it("say what the operator says, and nothing that is secret", async () => {
    const api = await startApi({
      rpcUrl: "http://127.0.0.1:1/v2/secret-key",
      environment: {
        OIDC_ISSUER: "https://id.example/,https://other.example",
        OIDC_AUDIENCE: "registry,other",
        OIDC_CLIENT_ID: "console",
        CHAIN_NAME: "Gnosis",
        CHAIN_RPC_URL: "https://rpc.example",
        CHAIN_EXPLORER_URL: "https://explorer.example",
        CHAIN_CURRENCY: "xDAI",
        CONFIRMATIONS: "finalized",
      },
    });
    try {
      const { version, ...settings } = await settingsOf(api);
      expect(version).to.match(/^\d+\.\d+\.\d+/);
      expect(settings).to.deep.equal({
        name: "asset-registry",
        publicUrl: "https://registry.example",
        chain: {
          id: api.registry.chainId,
          name: "Gnosis",
          nativeCurrency: { name: "xDAI", symbol: "xDAI", decimals: 18 },
          rpcUrl: "https://rpc.example",
          explorerUrl: "https://explorer.example",
        },
        registry: api.registry.address,
        confirmations: "finalized",
        identity: {
          issuer: "https://id.example/",
          clientId: "console",
          audience: "registry",
          scope: "openid profile",
        },
        limits: {
          text: limits.text,
          note: limits.note,
          targets: limits.targets,
          wallets: limits.wallets,
          bodyBytes: limits.bodyBytes,
        },
      });
      expect(JSON.stringify(settings)).not.to.contain("secret-key");
    } finally {
      await api.stop();
    }
  });

  it("have sensible values for an operator who sets nothing", async () => {
    const api = await startApi();
    try {
      const { chain, identity, confirmations } = await settingsOf(api);
      expect(chain).to.deep.equal({
        id: 31_337,
        name: "Chain 31337",
        nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
        rpcUrl: null,
        explorerUrl: null,
      });
      expect({ identity, confirmations }).to.deep.equal({ identity: null, confirmations: 5 });
    } finally {
      await api.stop();
    }
  });

  it("are refused in the envelope while nobody knows the chain, and kept when the database goes away", async () => {
    const unknown = await startApi({ indexed: false });
    try {
      const answer = await fetch(`${unknown.url}/console/settings.json`);
      expect(answer.status).to.equal(503);
      expect(await answer.json()).to.have.nested.property("error.code", "NODE_UNAVAILABLE");
    } finally {
      await unknown.stop();
    }
    const api = await startApi();
    try {
      await settingsOf(api);
      api.services.registry.recent = () => Promise.reject(new Error("the database is down"));
      expect((await settingsOf(api))["registry"]).to.equal(api.registry.address);
    } finally {
      await api.stop();
    }
  });
});

describe("GET / of a browser", () => {
  let api: Started;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  const ask = (accept: string, method = "GET") =>
    fetch(`${api.url}/`, { method, headers: { Accept: accept }, redirect: "manual" });

  it("leads to the console", async () => {
    for (const accept of [
      "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
      "text/html",
      "text/*, application/json;q=0.5",
    ]) {
      for (const method of ["GET", "HEAD"]) {
        const answer = await ask(accept, method);
        expect(answer.status, accept).to.equal(303);
        expect(answer.headers.get("location"), accept).to.equal("/console/");
        expect(answer.headers.get("vary"), accept).to.equal("Accept");
      }
    }
  });

  it("answers everybody else as ever", async () => {
    for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.9", "image/png", ""]) {
      const answer = await ask(accept);
      expect(answer.status, accept).to.equal(200);
      expect(answer.headers.get("vary"), accept).to.equal("Accept");
      const { value } = (await answer.json()) as { value: { links: Record<string, string> } };
      expect(value.links["console"]).to.equal("/console/");
    }
  });

  it("keeps the path of PUBLIC_URL", async () => {
    const below = await startApi({ environment: { PUBLIC_URL: "https://example.org/registry/" } });
    try {
      const answer = await fetch(`${below.url}/`, { headers: { Accept: "text/html" }, redirect: "manual" });
      expect(answer.headers.get("location")).to.equal("/registry/console/");
    } finally {
      await below.stop();
    }
  });
});

describe("the security policy of the console's pages", () => {
  let built: ReturnType<typeof builtConsole>;
  let provider: Server;
  let issuer: string;
  let distort: (text: string) => string;
  let reads: number;

  before(() => {
    built = builtConsole();
  });
  after(() => built.remove());
  beforeEach(async () => {
    reads = 0;
    distort = (text) => text;
    provider = createServer((_request, response) => {
      reads += 1;
      const document = {
        issuer,
        jwks_uri: `${issuer}/jwks`,
        token_endpoint: "https://tokens.example/oauth/token?a=b",
        userinfo_endpoint: "https://graph.example:8443/me",
        end_session_endpoint: "javascript:alert(1)",
        revocation_endpoint: "https://a;script-src.example/x",
      };
      response.setHeader("Content-Type", "application/json").end(distort(JSON.stringify(document)));
    });
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    provider.closeAllConnections();
    await new Promise((resolve) => provider.close(resolve));
  });

  async function policyAt(path: string, environment: Record<string, string> = {}) {
    const api = await startApi({ issuer, consoleFolder: built.folder, environment });
    try {
      const pages = await Promise.all([1, 2, 3].map(() => fetch(`${api.url}${path}`)));
      const [{ headers }] = pages as [Response];
      const policy = new Map(
        (headers.get("content-security-policy") ?? "").split(";").map((directive) => {
          const [name = "", ...sources] = directive.split(" ");
          return [name, sources.join(" ")] as const;
        }),
      );
      return { headers, policy };
    } finally {
      await api.stop();
    }
  }

  it("lets a page load what the service has, and call the service alone", async () => {
    const { policy, headers } = await policyAt("/console/");
    expect(Object.fromEntries(policy)).to.deep.equal({
      "default-src": "'none'",
      "script-src": "'self' 'wasm-unsafe-eval'",
      "style-src": "'self'",
      "img-src": "'self' data: blob:",
      "font-src": "'self'",
      "connect-src": "'self'",
      "worker-src": "'self'",
      "manifest-src": "'self'",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
    });
    expect(headers.get("referrer-policy")).to.equal("no-referrer");
    expect(headers.get("x-frame-options")).to.equal("DENY");
    expect(headers.get("cross-origin-opener-policy")).to.equal("same-origin-allow-popups");
    expect(headers.get("permissions-policy")).to.contain("camera=()").and.to.contain("usb=()");
    expect(headers.get("x-robots-tag")).to.equal(null);
    expect(reads).to.equal(0);
  });

  it("names the identity provider's origins where people sign in, which are read once", async () => {
    const { policy } = await policyAt("/console/inbox", { OIDC_CLIENT_ID: "console" });
    expect(policy.get("connect-src")).to.equal(
      `'self' ${issuer} https://tokens.example https://graph.example:8443`,
    );
    expect([...policy.keys()]).to.have.length(11);
    expect(reads).to.equal(1);
  });

  it("names the issuer alone where its description cannot be read", async () => {
    for (const broken of ["{", "[]", '{"token_endpoint": 1}']) {
      distort = () => broken;
      const { policy } = await policyAt("/console/inbox", { OIDC_CLIENT_ID: "console" });
      expect(policy.get("connect-src"), broken).to.equal(`'self' ${issuer}`);
    }
    const { policy } = await policyAt("/console/inbox", { OIDC_CLIENT_ID: "console", OIDC_ISSUER: nowhere });
    expect(policy.get("connect-src")).to.equal(`'self' ${nowhere}`);
  });

  it("lets the page that verifies call any node, and no other page", async () => {
    const open = "'self' https: wss: http://127.0.0.1:* http://localhost:*";
    expect((await policyAt("/console/verify")).policy.get("connect-src")).to.equal(open);
    expect((await policyAt("/console/verify/")).policy.get("connect-src")).to.equal(open);
    for (const path of ["/console/verifying", "/console/sign/verify", "/console/"]) {
      expect((await policyAt(path)).policy.get("connect-src"), path).to.equal("'self'");
    }
  });

  it("keeps links to sign at out of search engines", async () => {
    const { headers } = await policyAt("/console/sign/ddc3911c-090c-4831-a37d-48a6dab94ae5");
    expect(headers.get("x-robots-tag")).to.equal("noindex");
  });
});
