import { OidcClient, WebStorageStateStore } from "oidc-client-ts";
import { readReturnPath, SIGNED_IN_PATH } from "./return-path.ts";
import type { Session } from "./session.ts";
import { type Identity, sessionOf } from "./session-of.ts";
import { readSignInProblem, SignInProblem } from "./sign-in-problem.ts";
import { tokenParameters } from "./token-parameters.ts";

/** Seconds that the provider may take for an answer. */
const TIMEOUT = 10;
/** Seconds for which a sign-in that was begun can be ended. */
const LONGEST_SIGN_IN = 3_600;

/** The one address that the provider leads back to, after signing in and out. */
const backTo = (origin: string) => `${origin}/console${SIGNED_IN_PATH}`;

function clientOf({ issuer, clientId, scope }: Identity, origin: string): OidcClient {
  return new OidcClient({
    authority: issuer,
    client_id: clientId,
    redirect_uri: backTo(origin),
    scope,
    stateStore: new WebStorageStateStore({ store: sessionStorage, prefix: "asset-registry-sign-in." }),
    staleStateAgeInSeconds: LONGEST_SIGN_IN,
    requestTimeoutInSeconds: TIMEOUT,
    loadUserInfo: false,
    // The session is made of the claims as they are.
    filterProtocolClaims: false,
  });
}

/**
 * The provider's page to sign in at, by authorization code with PKCE.
 * @param returnTo page of the console to come back to @throws SignInProblem
 */
export async function signInUrl(identity: Identity, origin: string, returnTo: string): Promise<string> {
  try {
    const request = await clientOf(identity, origin).createSigninRequest({
      state: { returnTo },
      nonce: crypto.randomUUID(),
      ...tokenParameters(identity),
    });
    return request.url;
  } catch (error) {
    throw readSignInProblem(error);
  }
}

/** How a sign-in ended, and the page of the console that it began on. */
export type SignInEnd = { returnTo: string } & ({ session: Session } | { problem: SignInProblem });

/** Ends a sign-in with the URL that the provider led back to. */
export async function completeSignIn(identity: Identity, origin: string, url: string): Promise<SignInEnd> {
  const client = clientOf(identity, origin);
  const begun = await client.readSigninResponseState(url).catch(() => undefined);
  const { returnTo: noted } = (begun?.state.data ?? {}) as { returnTo?: unknown };
  const returnTo = readReturnPath(noted);
  const issuer = new URL(url).searchParams.get("iss");
  // What the provider says is worth nothing where this tab did not ask it.
  if (begun === undefined || (issuer !== null && issuer !== identity.issuer)) {
    return { returnTo, problem: new SignInProblem("NOT_OURS") };
  }
  try {
    return { returnTo, session: sessionOf(identity, await client.processSigninResponse(url), Date.now()) };
  } catch (error) {
    return { returnTo, problem: readSignInProblem(error) };
  }
}

/** The provider's page to sign out at; undefined where it has none. @throws SignInProblem */
export async function signOutUrl(
  identity: Identity,
  origin: string,
  idToken: string,
): Promise<string | undefined> {
  const client = clientOf(identity, origin);
  try {
    if (!(await client.metadataService.getEndSessionEndpoint())) return undefined;
    const hint = idToken === "" ? {} : { id_token_hint: idToken };
    const request = await client.createSignoutRequest({ ...hint, post_logout_redirect_uri: backTo(origin) });
    return request.url;
  } catch (error) {
    throw readSignInProblem(error);
  }
}
