/** ISO 8601 with an offset, in UTC whatever the time zone of this machine is. */
export function isoTime(date: Date): string {
  return `${date.toISOString().slice(0, -1)}+00:00`;
}
