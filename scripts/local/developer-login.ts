import { z } from "zod";
import { urlBase } from "../../domain/url/base.ts";

/** The grant type by which the development identity provider gives a token to whoever names a user. */
export const DEVELOPER_LOGIN = "urn:asset-registry:developer-login";

export const isUserName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/.test(name);
export const userNameRule =
  "A user name has 1 to 64 letters, digits and . _ @ + - and begins with a letter or digit.";

/** No token could be had; the message says why and what to do. */
export class LoginError extends Error {
  override readonly name = "LoginError";
}

const discovery = z.object({
  token_endpoint: z.url(),
  grant_types_supported: z.array(z.string()).optional(),
});
const tokens = z.object({ id_token: z.string() });
const refusal = z.object({ error: z.string(), error_description: z.string().optional() });

/** An identity token of that user from the development identity provider at `issuer`. */
export async function developerLogin(issuer: string, client: string, user: string): Promise<string> {
  if (!isUserName(user)) throw new LoginError(userNameRule);
  const base = urlBase(issuer);
  const { token_endpoint: endpoint, grant_types_supported: grants = [] } = discovery.parse(
    await answerOf(
      issuer,
      fetch(`${base}/.well-known/openid-configuration`, { signal: AbortSignal.timeout(10_000) }),
    ),
  );
  if (!grants.includes(DEVELOPER_LOGIN)) {
    throw new LoginError(
      `${issuer} is not the development identity provider: get a token there as its users do.`,
    );
  }
  const body = new URLSearchParams({ grant_type: DEVELOPER_LOGIN, client_id: client, user });
  const answer = await answerOf(
    issuer,
    fetch(endpoint, { method: "POST", body, signal: AbortSignal.timeout(10_000) }),
  );
  return tokens.parse(answer).id_token;
}

async function answerOf(issuer: string, request: Promise<Response>): Promise<unknown> {
  let response: Response;
  try {
    response = await request;
  } catch {
    throw new LoginError(`No answer from the identity provider at ${issuer}: is \`npm start\` running?`);
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return answer;
  const { data } = refusal.safeParse(answer);
  const reason = data ? (data.error_description ?? data.error) : `status ${response.status}`;
  throw new LoginError(`The identity provider at ${issuer} refuses: ${reason}.`);
}
