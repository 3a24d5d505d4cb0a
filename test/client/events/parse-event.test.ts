import { expect } from "chai";
import { ConnectionError } from "../../../client/src/client.ts";
import { readEventPages } from "../../../client/src/events/pages.ts";
import { parseEvent } from "../../../client/src/events/parse-event.ts";
import { anEvent } from "../../support/event-service.ts";

describe("an event as it comes from a service", () => {
  it("is refused without what every event has, so that readers meet no other type", () => {
    const whole = anEvent(1);
    expect(parseEvent(JSON.stringify(whole))).to.deep.equal(whole);
    const bad: unknown[] = [null, [], "text", 1];
    for (const field of ["id", "sequence", "kind", "time", "data"]) {
      for (const value of [undefined, null, true]) bad.push({ ...whole, [field]: value });
    }
    for (const value of [null, 5, "5"]) bad.push({ ...whole, block: value });
    bad.push({ ...whole, sequence: 2 ** 53 }, { ...whole, sequence: 1.5 });
    for (const value of bad) {
      const text = JSON.stringify(value);
      expect(() => parseEvent(text), text).to.throw(ConnectionError, "none of the service");
    }
    for (const text of ["", "{", "<p>Welcome"])
      expect(() => parseEvent(text), text).to.throw(ConnectionError);
  });

  it("is read once and in order from pages that repeat it or go back, which come to an end", async () => {
    const pages = [
      [[1, 3, 3, 2, 4], 4],
      [[4, 3, 5], 5],
      [[5, 4], 4],
    ] as const;
    let asked = 0;
    const call = async () => {
      const [sequences, next] = pages[asked] ?? [[], 0];
      asked += 1;
      return { value: sequences.map((sequence) => anEvent(sequence)), meta: { next: String(next) } };
    };
    const read: number[] = [];
    for await (const { events } of readEventPages(call, {}, undefined, {})) {
      read.push(...events.map(({ sequence }) => sequence));
    }
    expect(read).to.deep.equal([1, 3, 4, 5]);
    expect(asked).to.equal(pages.length);
  });
});
