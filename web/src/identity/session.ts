/** Who is signed in in this tab, and the token that says so to the service. */
export type Session = {
  /** The token that the service is sent. */
  token: string;
  /** The token that tells the provider who signs out. */
  idToken: string;
  issuer: string;
  /** The user at that provider, for good. */
  subject: string;
  /** What the provider calls the user: words of somebody else's. */
  name: string;
  /** When the token ends, in milliseconds since 1970. */
  endsAt: number;
};

const texts = ["token", "idToken", "issuer", "subject", "name"] as const;

/** A session as it was kept; undefined of anything else. */
export function readSession(text: string | null): Session | undefined {
  if (text === null) return undefined;
  let value: Partial<Session> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { token, idToken, issuer, subject, name, endsAt } = value;
  const isWhole = texts.every((field) => typeof value[field] === "string") && typeof endsAt === "number";
  return isWhole ? ({ token, idToken, issuer, subject, name, endsAt } as Session) : undefined;
}
