import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { eventually } from "./eventually.ts";

/** A block of a stream. */
export type Block = {
  id: string | undefined;
  event: string | undefined;
  data: string | undefined;
  comment: boolean;
};

export type EventReader = Awaited<ReturnType<typeof readStream>>;

/** Opens a stream of events, and reads it until it is closed. @throws where the answer is no stream, with its body */
export async function readStream(url: string, headers: Record<string, string> = {}) {
  let asked: ClientRequest | undefined;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asked = request(url, { headers, agent: false }, resolve).once("error", reject).end();
  });
  const blocks: Block[] = [];
  let rest = "";
  let over: "ended" | "cut off" | undefined;
  response.setEncoding("utf8");
  if (response.statusCode !== 200) throw new Error((await response.toArray()).join(""));
  response.on("data", (text: string) => {
    const parts = `${rest}${text}`.split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) blocks.push(parse(part));
  });
  response.on("error", () => undefined);
  response.on("close", () => {
    over = response.complete ? "ended" : "cut off";
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every kind
  const events = (): any[] =>
    blocks.flatMap(({ event, data }) =>
      event === undefined || event === "ready" ? [] : [JSON.parse(data ?? "")],
    );

  return {
    response,
    blocks,
    /** The events so far. */
    events,
    sequences: (): number[] => events().map(({ sequence }) => sequence),
    /** The id that an EventSource would resume from. */
    lastId: () => blocks.findLast(({ id }) => id !== undefined)?.id,
    /** Waits for so many events. */
    has: (count: number) =>
      eventually(
        `${count} events`,
        async () => events(),
        (all) => all.length >= count,
      ),
    hasBlock: (what: string, isIt: (block: Block) => boolean) =>
      eventually(what, async () => blocks.some(isIt), Boolean),
    /** Waits until the service has ended it. */
    over: () =>
      eventually(
        "the stream is over",
        async () => over,
        (how) => how !== undefined,
      ),
    close: () => void asked?.destroy(),
  };
}

function parse(text: string): Block {
  const block: Block = { id: undefined, event: undefined, data: undefined, comment: false };
  for (const line of text.split("\n")) {
    const colon = line.indexOf(": ");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 2)];
    if (line.startsWith(":")) block.comment = true;
    else if (name === "id" || name === "event" || name === "data") block[name] = value;
  }
  return block;
}
