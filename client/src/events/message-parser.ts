/** A message of an event stream; `id` is the newest that the stream has named, or empty. */
export type StreamMessage = { id: string; type: string; data: string };

/** Most characters of a message and of a line: hundreds of times as many as the longest event has. */
const mostCharacters = 1024 * 1024;

/**
 * Parses `text/event-stream` (HTML Living Standard, section 9.2.6) piece by piece, in time linear in its length. Unlike
 * an `EventSource` it answers messages without data too, and those that move the id alone. It is our own because this
 * package has no dependencies.
 * @throws RangeError for a message or line of more than a million characters
 */
export function createMessageParser() {
  let line = "";
  let afterCarriageReturn = false;
  let isFirst = true;
  let id = "";
  let namesId = false;
  let type = "";
  let data: string[] = [];
  /** Characters of the message's data so far. */
  let size = 0;
  let retry: number | undefined;

  /** The line that the next characters belong to. */
  function grown(characters: string): string {
    const whole = line + characters;
    if (size + whole.length <= mostCharacters) return whole;
    throw new RangeError(`a message has more than ${mostCharacters} characters`);
  }

  function readField(whole: string): void {
    const colon = whole.indexOf(":");
    const name = colon < 0 ? whole : whole.slice(0, colon);
    const from = colon + (whole[colon + 1] === " " ? 2 : 1);
    const value = colon < 0 ? "" : whole.slice(from);
    if (name === "data") {
      data.push(value);
      size += whole.length;
    } else if (name === "event") type = value;
    else if (name === "id" && !value.includes("\0")) {
      id = value;
      namesId = true;
    } else if (name === "retry" && /^\d{1,9}$/.test(value)) retry = Number(value);
  }

  /** @returns the message that an empty line ends */
  function readLine(whole: string): StreamMessage | undefined {
    if (whole !== "") {
      readField(whole);
      return undefined;
    }
    const message = { id, type, data: data.join("\n") };
    const isEmpty = type === "" && data.length === 0 && !namesId;
    namesId = false;
    type = "";
    data = [];
    size = 0;
    return isEmpty ? undefined : message;
  }

  return {
    /** Milliseconds that the stream asks to wait before it is opened anew. */
    retry: (): number | undefined => retry,

    /** @returns the messages that this piece completes */
    read(piece: string): StreamMessage[] {
      if (piece === "") return [];
      const messages: StreamMessage[] = [];
      let start = afterCarriageReturn && piece.startsWith("\n") ? 1 : 0;
      if (isFirst && piece.startsWith("\ufeff")) start = 1;
      isFirst = false;
      afterCarriageReturn = piece.endsWith("\r");
      const ends = /\r\n?|\n/g;
      ends.lastIndex = start;
      for (let end = ends.exec(piece); end !== null; end = ends.exec(piece)) {
        const message = readLine(grown(piece.slice(start, end.index)));
        if (message !== undefined) messages.push(message);
        line = "";
        start = ends.lastIndex;
      }
      line = grown(piece.slice(start));
      return messages;
    },
  };
}
