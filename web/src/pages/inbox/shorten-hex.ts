/** A sentence with each address, id and hash in it cut to its ends, as where they stand by themselves. */
export function shortenHex(text: string): string {
  return text.replace(/0x[0-9a-f]{40,64}/gi, (whole) => `${whole.slice(0, 8)}…${whole.slice(-6)}`);
}
