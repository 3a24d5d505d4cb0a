import { expect } from "chai";
import { timelineOf } from "../../../web/src/parts/timeline.ts";

const at = "2026-01-01T00:00:00.000+00:00";
type State = Parameters<typeof timelineOf>[0][number]["state"];
const rows = (...states: State[]) =>
  timelineOf(states.map((state) => ({ state, at }))).map(
    ({ state, kind, undone }) => `${kind} ${state}${undone ? " (undone)" : ""}`,
  );

describe("the timeline of a request", () => {
  it("has the states that it still has before it", () => {
    expect(rows("Received")).to.deep.equal([
      "now Received",
      "ahead Submitted",
      "ahead Committed",
      "ahead Confirmed",
    ]);
    expect(rows("Received", "TxSignatureSubmitted").slice(1)).to.deep.equal([
      "now TxSignatureSubmitted",
      "ahead Submitted",
      "ahead Committed",
      "ahead Confirmed",
    ]);
  });

  it("ends where nothing comes any more", () => {
    expect(rows("Received", "Submitted", "Committed", "Confirmed").at(-1)).to.equal("past Confirmed");
    for (const state of ["RevokedByUser", "RevokedByTxServer", "RevokedByBlockchain"] as const) {
      expect(rows("Received", state)).to.deep.equal(["past Received", `past ${state}`]);
    }
    expect(timelineOf([])).to.deep.equal([]);
  });

  it("shows what a reorg undid, and goes on from there", () => {
    expect(rows("Received", "Submitted", "Committed", "Submitted")).to.deep.equal([
      "past Received",
      "past Submitted",
      "past Committed",
      "now Submitted (undone)",
      "ahead Committed",
      "ahead Confirmed",
    ]);
    expect(rows("Received", "RevokedByBlockchain", "Committed").slice(1, 3)).to.deep.equal([
      "past RevokedByBlockchain",
      "now Committed",
    ]);
  });
});
