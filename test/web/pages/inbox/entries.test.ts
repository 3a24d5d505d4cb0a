import type { InboxEntry } from "asset-registry-client";
import { expect } from "chai";
import { readEntries } from "../../../../web/src/pages/inbox/entries.ts";
import { noteOf } from "../../../../web/src/pages/inbox/note.ts";
import { shortenHex } from "../../../../web/src/pages/inbox/shorten-hex.ts";

/** A service whose list has requests in these states. */
function serviceOf(states: string[]) {
  const asked: object[] = [];
  let read = 0;
  return {
    asked,
    get read() {
      return read;
    },
    async *transactions(query: { state?: unknown } = {}) {
      asked.push(query);
      for (const [at, state] of states.entries()) {
        read += 1;
        if (query.state === undefined || query.state === state) yield { id: String(at), state } as InboxEntry;
      }
    },
  };
}

const idsOf = ({ entries }: { entries: InboxEntry[] }) => entries.map(({ id }) => id);

describe("the lists of the inbox", () => {
  it("tell what waits from what was answered or has ended", async () => {
    const service = serviceOf(["Received", "Confirmed", "Received", "RevokedByUser", "Submitted"]);
    expect(idsOf(await readEntries(service, "open", 20))).to.deep.equal(["0", "2"]);
    expect(idsOf(await readEntries(service, "answered", 20))).to.deep.equal(["1", "3", "4"]);
    expect(service.asked).to.deep.equal([{ state: "Received", size: 21 }, { size: 21 }]);
  });

  it("say whether there is more, and read no further", async () => {
    const many = serviceOf(Array.from({ length: 100 }, () => "Received"));
    const first = await readEntries(many, "open", 20);
    expect(first).to.include({ more: true }).and.have.property("entries").with.length(20);
    expect(many.read).to.equal(21);
    expect((await readEntries(many, "open", 100)).more).to.equal(false);
    expect((await readEntries(many, "open", 500)).entries).to.have.length(100);
    expect(many.asked.at(-1)).to.deep.equal({ state: "Received", size: 200 });
  });

  it("look at so many of the others only, and go on at the next step", async () => {
    const flood = serviceOf([...Array.from({ length: 150 }, () => "Received"), "Confirmed"]);
    expect(await readEntries(flood, "answered", 5)).to.deep.equal({ entries: [], more: true });
    expect(flood.read).to.equal(101);
    expect(idsOf(await readEntries(flood, "answered", 10))).to.deep.equal(["150"]);
  });

  it("cut addresses and ids to their ends", () => {
    const address = "0x4Be30Fb3c83966A50D7BF6121b0F4C5056deb300";
    const id = `0x${"64c3cb9b".repeat(8)}`;
    const short = "0x4Be30F…deb300 links it to the asset 0x64c3cb…c3cb9b; on chain 31337.";
    expect(shortenHex(`${address} links it to the asset ${id}; on chain 31337.`)).to.equal(short);
    expect(shortenHex("0x1234 and 0x")).to.equal("0x1234 and 0x");
  });

  it("say why a request ended, and what holds one up", () => {
    expect(noteOf({ state: "Received" })).to.equal(undefined);
    expect(noteOf({ state: "Confirmed" })).to.equal(undefined);
    expect(noteOf({ state: "RevokedByTxServer", reason: "EXPIRED" })).to.contain("in time");
    expect(noteOf({ state: "RevokedByBlockchain", reason: "toString" })).to.contain("toString");
    const hint = { code: "NOT_SEEN", since: "2026-11-28T02:10:43.523+00:00", message: "" } as const;
    expect(noteOf({ state: "Submitted", hint })).to.contain("lost sight");
  });
});
