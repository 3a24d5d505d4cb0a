/** Most bytes of a node's answer: a block with the hashes of its transactions. */
export const mostNodeAnswerBytes = 4 * 1024 * 1024;

/** A POST of JSON-RPC as `fetch` takes it. */
export type NodeCall = {
  target: URL;
  init: { method: "POST"; headers: Record<string, string>; body: string; redirect: "error" };
};

/** The answer of a node: a result, or its own words where it gave none. */
export type NodeAnswer = { result: unknown } | { said: string | undefined };

/** Most characters of a node's words that are repeated. */
const longest = 200;

/** The call of a method; a name and password in the URL go into a header, since `fetch` takes no such URL. */
export function nodeCall(url: string, method: string, params: readonly unknown[]): NodeCall {
  const target = new URL(url);
  const { username, password } = target;
  [target.username, target.password] = ["", ""];
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (username !== "" || password !== "")
    headers["authorization"] = `Basic ${btoa(decodeURIComponent(`${username}:${password}`))}`;
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return { target, init: { method: "POST", headers, body, redirect: "error" } };
}

/** The text of an answer's body; undefined where it is longer than any that is wanted. */
export async function readNodeText(body: ReadableStream<Uint8Array> | null): Promise<string | undefined> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) return text;
    size += value.length;
    if (size > mostNodeAnswerBytes) {
      await reader?.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Reads the text of an answer, whatever it is. */
export function readNodeAnswer(text: string): NodeAnswer {
  const answer = parsed(text);
  if (answer !== undefined && "result" in answer) return { result: answer.result };
  const message = answer?.error?.message;
  return { said: typeof message === "string" ? message.slice(0, longest) : undefined };
}

function parsed(text: string): { result?: unknown; error?: { message?: unknown } } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
