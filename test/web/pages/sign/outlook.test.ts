import type { TransactionStatus } from "asset-registry-client";
import { expect } from "chai";
import { reasons } from "../../../../domain/request/state.ts";
import { outlookOf, pollPause } from "../../../../web/src/pages/sign/rules/outlook.ts";
import { texts } from "../../../../web/src/texts/texts.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const ago = (seconds: number) => new Date(now - seconds * 1_000).toISOString();
const hash = `0x${"a1".repeat(32)}` as const;

function status(state: TransactionStatus["state"], more: Partial<TransactionStatus> = {}): TransactionStatus {
  return {
    id: "t",
    kind: "create",
    assetId: hash,
    state,
    expiresAt: ago(-3_600),
    signatureAliveUntil: null,
    history: [{ state, at: ago(10) }],
    ...more,
  };
}
const title = (...args: Parameters<typeof outlookOf>) => outlookOf(...args).title;
const words = texts.sign.outlook;

describe("what the signing page says of a request", () => {
  it("lets the author sign as long as nobody has", () => {
    expect(outlookOf(status("Received"), undefined, now)).to.include({ canSign: true, ...words.received });
    const open = ["TxSignatureSubmitted", "Submitted", "Committed", "Confirmed", "RevokedByUser"] as const;
    for (const state of open) expect(outlookOf(status(state), undefined, now).canSign).to.equal(false);
  });

  it("remembers what the wallet was asked and answered, so that nobody signs twice", () => {
    const answer = { way: "send", transactionHash: hash } as const;
    const at = now - 5_000;
    expect(title(status("Received"), { at: now, answer }, now)).to.equal(words.sent.title);
    expect(outlookOf(status("Received"), { at, asked: "send" }, now)).to.include({
      canSign: true,
      ...words.askedBefore,
    });
    expect(outlookOf(status("Received"), { at, answer }, now)).to.include({
      canSign: false,
      ...words.telling,
    });
    const delivered = { at, answer, isDelivered: true };
    expect(outlookOf(status("Received"), delivered, now)).to.include({ canSign: false, ...words.sent });
    expect(outlookOf(status("Received"), delivered, now + 130_000)).to.include({
      canSign: true,
      ...words.neverSeen,
    });
    expect(title(status("Submitted"), delivered, now)).to.equal(words.submitted.title);
  });

  it("says how long it takes, and why", () => {
    expect(title(status("Submitted"), undefined, now)).to.equal(words.submitted.title);
    const late = status("Submitted", { history: [{ state: "Submitted", at: ago(301) }] });
    expect(title(late, undefined, now)).to.equal("On its way for 5 min");
    // A clock that is years off says nothing.
    for (const years of [-3, 3]) {
      expect(title(late, undefined, now + years * 365.25 * 86_400_000)).to.equal(words.submitted.title);
    }
    for (const code of ["NOT_SEEN", "FEE_BELOW_BASE_FEE"] as const) {
      const hint = { code, since: ago(1), message: "" };
      expect(title(status("Submitted", { hint }), undefined, now)).to.equal(words.hints[code].title);
    }
    expect(title(status("TxSignatureSubmitted"), undefined, now)).to.equal(words.signed.title);
    expect(outlookOf(status("Confirmed"), undefined, now)).to.include({ tone: "good", isOver: true });
  });

  it("says of every end why and what next", () => {
    for (const reason of Object.keys(reasons)) {
      const { next, tone } = outlookOf(status("RevokedByTxServer", { reason }), undefined, now);
      expect(next, reason).not.to.contain(reason);
      expect(next, reason).to.match(/^[A-Z].+\.$/);
      expect(tone).to.equal(reason === "REFUSED" ? "plain" : "bad");
    }
    const unknown = outlookOf(status("RevokedByBlockchain", { reason: "NEW_ERROR" }), undefined, now);
    expect(unknown.next).to.contain("NEW_ERROR");
    expect(
      outlookOf(status("RevokedByBlockchain", { reason: "constructor" }), undefined, now).next,
    ).to.contain("constructor");
    expect(outlookOf(status("RevokedByUser"), undefined, now).next).to.equal("Ask for a new request.");
  });

  it("asks again sooner where more is going on, and not at all where nothing is", () => {
    expect(pollPause("Confirmed")).to.equal(false);
    const pauses = [pollPause("Submitted"), pollPause("Received"), pollPause("RevokedByUser")].map(Number);
    expect(pauses).to.deep.equal(pauses.toSorted((a, b) => a - b));
    expect(Number(pollPause("Received", true))).to.be.below(Number(pollPause("Received")));
  });
});
