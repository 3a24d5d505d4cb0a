/** Longest token that is read. */
const longest = 16_384;

/** Whether a claim of a token (a JWT) has this value. The service says by which claim it knows its users. */
export function tokenNames(token: string, user: string): boolean {
  if (token.length > longest || user === "") return false;
  try {
    const [, payload = ""] = token.split(".");
    const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (one) =>
      one.charCodeAt(0),
    );
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" && claims !== null && Object.values(claims).includes(user);
  } catch {
    return false;
  }
}
