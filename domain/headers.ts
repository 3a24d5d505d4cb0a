/** The headers of a request as they came: name, value, name, value. */
export type Head = { readonly rawHeaders: readonly string[] };

/** Every value of a header, named in lower case: Node joins the copies of one header and drops those of another. */
export function headerValues({ rawHeaders }: Head, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const found = rawHeaders[at] as string;
    if (found.length === name.length && found.toLowerCase() === name)
      values.push(rawHeaders[at + 1] as string);
  }
  return values;
}
