/** Latest second that a date of JavaScript can hold. */
const latest = 8_640_000_000_000;

/** Unix seconds as a date in UTC. */
export function inUtc(seconds: number): string {
  if (seconds > latest) return `${seconds} seconds after 1970 began, UTC`;
  return `${new Date(seconds * 1_000).toISOString().slice(0, -5).replace("T", " ")} UTC`;
}
