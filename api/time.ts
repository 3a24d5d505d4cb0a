/** ISO 8601 with an offset, in UTC whatever the time zone of this machine is. */
export function isoTime(date: Date): string {
  return `${date.toISOString().slice(0, -1)}+00:00`;
}

/** A time of the chain: seconds since 1970. */
export function chainTime(seconds: number): Date {
  return new Date(seconds * 1000);
}
