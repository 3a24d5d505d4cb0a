import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from "oidc-provider";
import { leadBackToConsole } from "./console-redirects.ts";
import { DEVELOPER_LOGIN, isUserName, userNameRule } from "./developer-login.ts";
import { plainPageHeaders } from "./plain-page.ts";
import { LOCALHOST } from "./ports.ts";
import { SIGN_IN_PATH, signInPages } from "./sign-in.ts";
import { signedOutPage, signOutPage } from "./sign-in-page.ts";

export type IdentityProviderOptions = {
  /** 0: any free port. */
  port: number;
  /** The audience of its tokens, which is also the name of its one client. */
  audience: string;
  /** Where users reach the service, whose console may sign them in here; a console on this machine always may. */
  publicUrl?: string;
};

export type IdentityProvider = { issuer: string; stop(): Promise<void> };

const HOUR = 3_600;

/**
 * An OpenID provider for a developer's machine: it believes every user name, so it listens on 127.0.0.1 only. Its client
 * signs in by authorization code with PKCE, as the console does, or by the developer's login of the command line.
 * Keys and sessions live in memory and end with it.
 */
export async function startIdentityProvider({
  port,
  audience,
  publicUrl,
}: IdentityProviderOptions): Promise<IdentityProvider> {
  let handle: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => handle(request, response));
  await listen(server, port);
  const issuer = `http://${LOCALHOST}:${(server.address() as AddressInfo).port}`;

  const restoreConsole = silenceNotices();
  const provider = new Provider(issuer, configuration(audience));
  addDeveloperLogin(provider);
  leadBackToConsole(provider, publicUrl);
  const [pages, rest] = [signInPages(provider), provider.callback()];
  handle = (request, response) =>
    request.url?.startsWith(SIGN_IN_PATH) ? pages(request, response) : rest(request, response);
  return {
    issuer,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      restoreConsole();
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, LOCALHOST, () => resolve());
  });
}

function configuration(audience: string): Configuration {
  return {
    clients: [
      {
        client_id: audience,
        token_endpoint_auth_method: "none",
        // A native client may come back to any port of its own machine.
        application_type: "native",
        redirect_uris: [`http://${LOCALHOST}/`, `http://${LOCALHOST}/callback`],
        response_types: ["code"],
        grant_types: ["authorization_code", DEVELOPER_LOGIN],
        id_token_signed_response_alg: "ES256",
      },
    ],
    clientBasedCORS: () => true,
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        logoutSource: (context, form) => show(context, signOutPage(form)),
        postLogoutSuccessSource: (context) => show(context, signedOutPage),
      },
    },
    renderError(context, { error, error_description: description }) {
      context.type = "text/plain; charset=utf-8";
      context.body = `The identity provider refuses: ${description ?? error}.\n`;
    },
    interactions: { policy: withoutConsent(), url: (_context, { uid }) => `${SIGN_IN_PATH}${uid}` },
    async loadExistingGrant({ oidc: { provider, client, session } }) {
      const grant = new provider.Grant({
        ...(client && { clientId: client.clientId }),
        ...(session?.accountId !== undefined && { accountId: session.accountId }),
      });
      grant.addOIDCScope("openid");
      await grant.save();
      return grant;
    },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    cookies: { keys: [randomBytes(32).toString("hex")] },
    jwks: { keys: [signingKey()] },
    ttl: { IdToken: HOUR, AccessToken: HOUR, Session: 24 * HOUR, Interaction: HOUR, Grant: 24 * HOUR },
  };
}

function show(context: KoaContextWithOIDC, page: string): void {
  context.set(plainPageHeaders);
  context.body = page;
}

/** Nobody is asked whether the one client may know who they are. */
function withoutConsent() {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  return policy;
}

function signingKey() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    ...privateKey.export({ format: "jwk" }),
    kid: randomBytes(8).toString("hex"),
    alg: "ES256",
    use: "sig",
  };
}

/** A token for the asking, by one POST: for the command line and tests, which have no browser. */
function addDeveloperLogin(provider: Provider): void {
  provider.registerGrantType<{ user?: string }>(
    DEVELOPER_LOGIN,
    async (context) => {
      const { user } = context.oidc.params;
      if (user === undefined || !isUserName(user)) throw new errors.InvalidRequest(userNameRule);
      const token = new provider.IdToken({}, { ctx: context });
      token.set("sub", user);
      const idToken = await token.issue({ use: "idtoken" });
      context.body = { id_token: idToken, access_token: idToken, token_type: "Bearer", expires_in: HOUR };
    },
    "user",
  );
}

/** Its notices tell an operator not to use what is meant for development: that is what it is used for here. */
function silenceNotices(): () => void {
  const { info, warn } = console;
  const unless = (print: typeof info): typeof info => {
    return (...args: unknown[]) => {
      if (!String(args[0]).includes("oidc-provider ")) print(...args);
    };
  };
  console.info = unless(info);
  console.warn = unless(warn);
  return () => Object.assign(console, { info, warn });
}
