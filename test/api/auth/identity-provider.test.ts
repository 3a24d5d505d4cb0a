import { createHmac, createPublicKey } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { developerLogin } from "../../../scripts/local/developer-login.ts";
import { type IdentityProvider, startIdentityProvider } from "../../../scripts/local/identity-provider.ts";
import { type Answer, expectError, startApi, type TestApi } from "../../support/api.ts";

const audience = "asset-registry";
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const decode = (part = ""): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, "base64url").toString("utf8"));

const list = (api: TestApi, bearer: string): Promise<Answer> => api.get("/wallets/", { key: null, bearer });
const login = (issuer: string, user = "alice") => developerLogin(issuer, audience, user);
/** Notes for how long anything waits that gives itself a limit by AbortSignal, until the end. */
function watchTimeouts() {
  const waits: number[] = [];
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (ms) => {
    waits.push(ms);
    return timeout.call(AbortSignal, ms);
  };
  return {
    end(): number[] {
      AbortSignal.timeout = timeout;
      return waits;
    },
  };
}
const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** Against a provider that is not ours: what it really sends, and what becomes of that when it is tampered with. */
describe("the tokens of an OpenID provider", () => {
  let [first, second]: IdentityProvider[] = [];
  let api: TestApi;
  let token: string;
  let key: JWK;

  before(async () => {
    first = await startIdentityProvider({ port: 0, audience });
    second = await startIdentityProvider({ port: 0, audience });
    api = await startApi({ issuer: first.issuer });
    token = await login(first.issuer);
    const { keys } = (await (await fetch(`${first.issuer}/jwks`)).json()) as { keys: [JWK] };
    [key] = keys;
  });
  after(async () => {
    await api.stop();
    await first?.stop();
    await second?.stop();
  });

  it("are taken as they come", async () => {
    expect((await list(api, token)).status).to.equal(200);
  });

  describe("are refused", () => {
    async function expectRefused(bearer: string): Promise<void> {
      const answer = await list(api, bearer);
      expectError(answer, 401, "IDENTITY_TOKEN_INVALID");
      expect((await list(api, token)).status).to.equal(200);
    }

    it("unsigned, whatever case none is written in", async () => {
      const [, payload] = token.split(".");
      for (const alg of ["none", "None", "NONE", ""]) {
        for (const signature of ["", token.split(".")[2]]) {
          await expectRefused(`${encode({ alg, kid: key.kid })}.${payload}.${signature}`);
        }
      }
    });

    it("signed by HMAC with the public key, in each form that it is published or kept in", async () => {
      const [, payload] = token.split(".");
      const publicKey = createPublicKey({ key, format: "jwk" });
      for (const secret of [
        publicKey.export({ type: "spki", format: "pem" }),
        publicKey.export({ type: "spki", format: "der" }),
        JSON.stringify(key),
        String(key["x"]),
      ]) {
        for (const [alg, hash] of [["HS256", "sha256"] as const, ["HS512", "sha512"] as const]) {
          const signed = `${encode({ alg, kid: key.kid, typ: "JWT" })}.${payload}`;
          await expectRefused(`${signed}.${createHmac(hash, secret).update(signed).digest("base64url")}`);
        }
      }
    });

    it("under the name of another algorithm than the key's", async () => {
      const [, payload, signature] = token.split(".");
      for (const alg of ["RS256", "PS256", "ES384", "EdDSA", "ES256K", "RSA-OAEP"]) {
        await expectRefused(`${encode({ alg, kid: key.kid })}.${payload}.${signature}`);
      }
    });

    it("with a key that they bring along or point at, which nobody fetches", async () => {
      const own = await generateKeyPair("ES256", { extractable: true });
      const jwk = { ...(await exportJWK(own.publicKey)), alg: "ES256", use: "sig", kid: key.kid ?? "" };
      let reads = 0;
      const host = createServer((_request, response) => {
        reads += 1;
        response.setHeader("Content-Type", "application/json").end(JSON.stringify({ keys: [jwk] }));
      });
      await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${portOf(host)}/keys`;
      try {
        for (const header of [{ jwk }, { jku: url }, { x5u: url }, { jku: url, crit: ["jku"] }, {}]) {
          const signing = new SignJWT(decode(token.split(".")[1]));
          const forged = await signing
            .setProtectedHeader({ alg: "ES256", kid: key.kid ?? "", ...header })
            .sign(own.privateKey, { crit: { jku: true } });
          await expectRefused(forged);
        }
      } finally {
        host.closeAllConnections();
        host.close();
      }
      expect(reads).to.equal(0);
    });

    it("of another provider, under its own name or this one's, with its kid or this one's", async () => {
      const foreign = await login(second?.issuer ?? "");
      await expectRefused(foreign);
      const [header, payload, signature] = foreign.split(".");
      const named = encode({ ...decode(payload), iss: first?.issuer });
      await expectRefused(`${header}.${named}.${signature}`);
      await expectRefused(`${encode({ ...decode(header), kid: key.kid })}.${named}.${signature}`);
      const [ownHeader, ownPayload, ownSignature] = token.split(".");
      const kid = decode(header)["kid"];
      await expectRefused(`${encode({ ...decode(ownHeader), kid })}.${ownPayload}.${ownSignature}`);
    });

    it("of another provider that is trusted too, under this one's name", async () => {
      const trusted = `${first?.issuer},${second?.issuer}`;
      const both = await startApi({ environment: { OIDC_ISSUER: trusted } });
      try {
        const foreign = await login(second?.issuer ?? "");
        expect((await list(both, foreign)).status).to.equal(200);
        const [header, payload, signature] = foreign.split(".");
        const named = encode({ ...decode(payload), iss: first?.issuer });
        const forged = await list(both, `${header}.${named}.${signature}`);
        expectError(forged, 401, "IDENTITY_TOKEN_INVALID");
      } finally {
        await both.stop();
      }
    });
  });
});

describe("an OpenID provider that fails", () => {
  const failures: Record<string, (issuer: string) => RequestListener> = {
    "never answers": () => () => undefined,
    "answers 500": () => (_request, response) => void response.writeHead(500).end("oops"),
    "begins to answer and stops": () => (_request, response) => void response.writeHead(200).write('{"iss'),
    "answers with a page": () => (_request, response) => void response.end("<html>We are back soon</html>"),
    "describes itself and keeps its keys to itself": (issuer) => (request, response) => {
      const document = { issuer, jwks_uri: `${issuer}/jwks` };
      if (request.url?.includes("openid-configuration")) response.end(JSON.stringify(document));
    },
  };

  for (const [what, answer] of Object.entries(failures)) {
    it(`leaves a warm service working, and a cold one with 503 in time, where it ${what}`, async () => {
      const provider = await startIdentityProvider({ port: 0, audience });
      const { issuer } = provider;
      const token = await login(issuer);
      const [warm, cold] = [await startApi({ issuer }), await startApi({ issuer })];
      expect((await list(warm, token)).status).to.equal(200);
      await provider.stop();
      const broken = createServer(answer(issuer));
      await new Promise<void>((resolve) => broken.listen(Number(new URL(issuer).port), "127.0.0.1", resolve));
      try {
        expect((await list(warm, token)).status).to.equal(200);
        const waits = watchTimeouts();
        const answers = await Promise.all(Array.from({ length: 10 }, () => list(cold, token)));
        // Each waits for two reads at most, of the description and of the keys, however busy the machine is.
        expect(2 * Math.max(...waits.end())).to.be.within(1, 6_000);
        for (const one of answers) expectError(one, 503, "IDENTITY_PROVIDER_UNAVAILABLE");
        expect((await cold.get("/assets/")).status).to.equal(200);
      } finally {
        broken.closeAllConnections();
        await new Promise((resolve) => broken.close(resolve));
        await Promise.all([warm.stop(), cold.stop()]);
      }
    });
  }
});
