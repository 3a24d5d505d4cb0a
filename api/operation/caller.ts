import type { User } from "../../db/service/wallets.ts";

/**
 * Who may call an operation:
 * - `key`: an API key, and optionally a bearer token
 * - `bearer`: an identity token
 * - `either`: an API key, or an identity token, or both
 * - `capability`: whoever knows the id in the path, or the one that the operation asks for in the query
 * - `open`: everybody
 * - `public`: everybody, by a rate limit of its own: what is on the chain
 *
 * A credential that is sent is verified even if it is not needed; only open and public operations ignore credentials.
 */
export type Access = "key" | "bearer" | "either" | "capability" | "open" | "public";

/** Callers by the access of the operation. */
export type Callers = {
  key: { tenant: string; keyId: string; user: User | undefined };
  bearer: { tenant: string | undefined; keyId: string | undefined; user: User };
  either: { tenant: string | undefined; keyId: string | undefined; user: User | undefined };
  capability: { tenant: string | undefined; keyId: string | undefined; user: User | undefined };
  open: { tenant: undefined; keyId: undefined; user: undefined };
  public: { tenant: undefined; keyId: undefined; user: undefined };
};
export type Caller = Callers[Access];
export type KeyCaller = Callers["key"];
