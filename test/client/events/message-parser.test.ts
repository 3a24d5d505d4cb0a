import { expect } from "chai";
import fc from "fast-check";
import { createMessageParser } from "../../../client/src/events/message-parser.ts";

/** The messages of a text that comes in pieces of these lengths, the last of which repeats. */
function messagesOf(text: string, ...lengths: number[]) {
  const parser = createMessageParser();
  const messages = [];
  for (let at = 0, nth = 0; at < text.length; nth += 1) {
    const length = lengths[Math.min(nth, lengths.length - 1)] ?? text.length;
    messages.push(...parser.read(text.slice(at, at + length)));
    at += length;
  }
  return { messages, retry: parser.retry() };
}

describe("the parser of an event stream", () => {
  it("reads fields, lines of data, comments and ids as the standard says", () => {
    const text = [
      "\ufeff: welcome",
      "id: 1",
      "event: a",
      "data: one",
      "data:two",
      "data:  three",
      "data",
      "unknown: x",
      "",
      "data: the id stays",
      "",
      "id",
      "data: the id is empty",
      "",
      "id: with \0",
      "event: no data",
      "",
      "",
      "data: never ended",
    ].join("\n");
    expect(messagesOf(text).messages).to.deep.equal([
      { id: "1", type: "a", data: "one\ntwo\n three\n" },
      { id: "1", type: "", data: "the id stays" },
      { id: "", type: "", data: "the id is empty" },
      { id: "", type: "no data", data: "" },
    ]);
  });

  it("reads the time until the next stream, where it is one", () => {
    expect(messagesOf("retry: 1500\n\n").retry).to.equal(1500);
    for (const bad of ["retry: soon", "retry: -1", "retry: 1e9", "retry: 99999999999", "retry:"]) {
      expect(messagesOf(`${bad}\n\n`).retry, bad).to.equal(undefined);
    }
  });

  it("reads the same whatever ends its lines and wherever it is cut", () => {
    const line = fc.oneof(
      fc.constantFrom("", "id: 7", "event: x", "data: a", "data: b: c", ":", "data"),
      fc.string().map((text) => text.replace(/[\r\n]/g, "")),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
        (lines, lengths) => {
          const [expected, ...others] = ["\n", "\r", "\r\n"].map((end) => {
            const text = `: start${end}${lines.map((each) => each + end).join("")}${end}`;
            const whole = messagesOf(text);
            expect(messagesOf(text, ...lengths)).to.deep.equal(whole);
            return whole;
          });
          for (const other of others) expect(other).to.deep.equal(expected);
        },
      ),
      { seed: 16 },
    );
  });

  it("answers what moves the id alone, as heartbeats do", () => {
    const text = ":\n\n:\nid: 7\n\n:\n\nretry: 5\n\nid\n\nid: 8\0\n\n";
    expect(messagesOf(text).messages).to.deep.equal([
      { id: "7", type: "", data: "" },
      { id: "", type: "", data: "" },
    ]);
  });

  it("ends a message, or a line, that grows without end", () => {
    for (const piece of ["data: aaaaaaaaaaaaaaaaaaa\n", "aaaaaaaaaaaaaaaaaaaaaaaa"]) {
      const parser = createMessageParser();
      const many = piece.repeat(1_000);
      expect(() => {
        for (let sent = 0; sent < 100; sent += 1) parser.read(many);
      }).to.throw(RangeError, "1048576");
    }
  });

  it("takes comments for good, however they are ended", () => {
    const parser = createMessageParser();
    const many = ": heartbeat\n".repeat(10_000);
    for (let sent = 0; sent < 20; sent += 1) expect(parser.read(many)).to.deep.equal([]);
    expect(parser.read("data: x\n\n")).to.have.length(1);
  });
});
