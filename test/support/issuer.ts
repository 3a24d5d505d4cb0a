import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from "jose";

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

type KeyPair = GenerateKeyPairResult & { kid: string; jwk: JWK };

/** An identity provider that signs whatever a test asks for, and can be broken. */
export async function startIssuer(algorithm = "RS256") {
  let keys: KeyPair[] = [await newKey(algorithm, "key-1")];
  const state = {
    down: false,
    issuerName: undefined as string | undefined,
    keyReads: 0,
    /** Answers in its place, at the path of its description or of its keys. */
    answers: {} as Record<"description" | "keys", ((response: ServerResponse) => void) | undefined>,
    /** Published beside its own keys, before them. */
    otherKeys: [] as unknown[],
  };
  const server = createServer((request, response) => {
    const answer = (body: unknown) => {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(body));
    };
    const isDescription = request.url === "/.well-known/openid-configuration";
    const instead = state.answers[isDescription ? "description" : "keys"];
    if (state.down) response.writeHead(500).end();
    else if (instead !== undefined) instead(response);
    else if (isDescription) {
      answer({ issuer: state.issuerName ?? url, jwks_uri: `${url}/keys` });
    } else {
      state.keyReads += 1;
      answer({ keys: [...state.otherKeys, ...keys.map(({ jwk }) => jwk)] });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const firstKey = (): KeyPair => {
    const [key] = keys;
    if (key === undefined) throw new Error("The issuer has no key");
    return key;
  };

  return {
    url,
    state,
    firstKey,
    /** A good token of user alice, except for what a test says. */
    token(
      claims: Record<string, unknown> = {},
      header: Partial<JWTHeaderParameters> = {},
      key = firstKey().privateKey,
    ) {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({
        iss: url,
        sub: "alice",
        aud: "asset-registry",
        iat: now,
        exp: now + 300,
        ...claims,
      })
        .setProtectedHeader({ alg: algorithm, kid: firstKey().kid, ...header })
        .sign(key);
    },
    /** Publishes another key beside those that it has. */
    async addKey(kid: string) {
      const key = await newKey(algorithm, kid);
      keys.push(key);
      return key;
    },
    /** Replaces its keys by a new one. */
    async rotate(kid: string) {
      keys = [await newKey(algorithm, kid)];
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function newKey(algorithm: string, kid: string): Promise<KeyPair> {
  const pair = await generateKeyPair(algorithm, { extractable: true });
  return { ...pair, kid, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg: algorithm, use: "sig" } };
}
