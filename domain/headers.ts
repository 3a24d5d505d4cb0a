/** Raw headers of a request: name, value, name, value. */
export type Head = { readonly rawHeaders: readonly string[] };

/** All values of a header, given in lower case; Node itself joins or drops repeated headers. */
export function headerValues({ rawHeaders }: Head, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const found = rawHeaders[at] as string;
    if (found.length === name.length && found.toLowerCase() === name)
      values.push(rawHeaders[at + 1] as string);
  }
  return values;
}
