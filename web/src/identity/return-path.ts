/** Path of the page at which a sign-in ends, below `/console`. */
export const SIGNED_IN_PATH = "/signed-in";

/** Longest path that a sign-in leads back to. */
const longest = 2_000;

/** The page of the console that a sign-in leads back to; the inbox where none was noted. */
export function readReturnPath(value: unknown): string {
  const isPath = typeof value === "string" && value.length <= longest && /^\/(?![/\\])/.test(value);
  return isPath && !value.startsWith(SIGNED_IN_PATH) ? value : "/inbox";
}
