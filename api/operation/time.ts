export { isoTime } from "../../domain/iso-time.ts";

/** A time of the chain: seconds since 1970. */
export function chainTime(seconds: number): Date {
  return new Date(seconds * 1000);
}
