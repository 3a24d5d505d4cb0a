import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Configuration, interactionPolicy, Provider } from "oidc-provider";

/** The user whom it signs in without asking, and what it calls them. */
export const resourceUser = { sub: "user-5f7c", name: "Alice \u202eExample" };

/**
 * An OpenID provider that makes access tokens in JWT for a resource (RFC 8707), for its client `console`; it signs
 * everybody in as one user at once.
 */
export async function startResourceProvider(resource: string) {
  let handle: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, configuration(resource));
  const rest = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith("/login/")) return void rest(request, response);
    const login = { login: { accountId: resourceUser.sub } };
    provider.interactionFinished(request, response, login).catch(() => response.writeHead(500).end());
  };
  return {
    issuer,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function configuration(resource: string): Configuration {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    clients: [
      {
        client_id: "console",
        token_endpoint_auth_method: "none",
        // A native client may come back to any port.
        application_type: "native",
        redirect_uris: ["http://127.0.0.1/console/signed-in"],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        id_token_signed_response_alg: "ES256",
      },
    ],
    clientBasedCORS: () => true,
    pkce: { required: () => true },
    claims: { openid: ["sub"], profile: ["name"] },
    conformIdTokenClaims: false,
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...resourceUser, sub }) }),
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, asked) => ({
          scope: "registry",
          audience: asked,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
    interactions: { policy, url: (_context, { uid }) => `/login/${uid}` },
    async loadExistingGrant({ oidc: { provider, client, session } }) {
      const grant = new provider.Grant({
        ...(client && { clientId: client.clientId }),
        ...(session?.accountId !== undefined && { accountId: session.accountId }),
      });
      grant.addOIDCScope("openid profile");
      grant.addResourceScope(resource, "registry");
      await grant.save();
      return grant;
    },
    cookies: { keys: [randomBytes(32).toString("hex")] },
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "key", alg: "ES256", use: "sig" }] },
    ttl: { AccessToken: 600, IdToken: 600, Session: 3_600, Interaction: 600, Grant: 3_600 },
  };
}
