/** Most bytes of an answer that are read; the longest of the service have a few MiB. */
const mostBytes = 16 * 1024 * 1024;

/**
 * Reads the body of a response as text.
 * @returns undefined where it is longer than any answer of the service
 */
export async function readBody(response: Response): Promise<string | undefined> {
  // Some stand-ins for fetch have no stream.
  if (typeof response.body?.getReader !== "function") return await response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > mostBytes) {
      await reader.cancel().catch(() => undefined);
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
