import { expect } from "chai";
import { createClient, type RegistryClient } from "../../../client/src/client.ts";
import { followEvents, type PageSigns } from "../../../web/src/service/follow-events.ts";
import { type StreamFault, startEventService } from "../../support/event-service.ts";
import { eventually } from "../../support/eventually.ts";

/** A page of which the test says what the browser would. */
function createPage() {
  const signs = new EventTarget();
  const shown = new EventTarget() as EventTarget & { visibilityState: "visible" | "hidden" };
  shown.visibilityState = "visible";
  const page = {
    addEventListener: signs.addEventListener.bind(signs),
    removeEventListener: signs.removeEventListener.bind(signs),
    document: shown,
  } satisfies PageSigns;
  return {
    page,
    see(state: "visible" | "hidden") {
      shown.visibilityState = state;
      shown.dispatchEvent(new Event("visibilitychange"));
    },
    say: (sign: "online" | "pagehide" | "pageshow") => signs.dispatchEvent(new Event(sign)),
  };
}

describe("following events in a page", () => {
  let service: Awaited<ReturnType<typeof startEventService>>;
  let registry: RegistryClient;
  let end: () => void;
  let isLive: boolean;
  let changes: number;
  let page: ReturnType<typeof createPage>;
  afterEach(async () => {
    end();
    await service.stop();
  });

  async function start(...faults: StreamFault[]) {
    service = await startEventService(faults.length > 0 ? faults : undefined);
    registry = createClient({ url: service.url, retries: 0 });
    page = createPage();
    [isLive, changes] = [false, 0];
    end = followEvents(
      (read) => read(registry),
      { transactionId: "t" },
      {
        changed: () => {
          changes += 1;
        },
        live: (now) => {
          isLive = now;
        },
      },
      page.page,
      { rare: 60_000, again: 50, unseen: 100 },
    );
  }
  const becomes = (live: boolean) =>
    eventually(
      "the change",
      async () => isLive && service.openStreams() === 1,
      (now) => now === live,
    );
  const closes = () =>
    eventually(
      "the end of the stream",
      async () => service.openStreams(),
      (open) => open === 0,
    );
  const hasChanged = (times: number) =>
    eventually(
      "a change",
      async () => changes,
      (now) => now >= times,
    );

  it("says that something may have happened when the stream stands, and with each event", async () => {
    await start();
    await becomes(true);
    expect(changes).to.equal(1);
    service.tell(2);
    await hasChanged(3);
    expect(service.calls).to.have.length(1);
    expect(service.calls[0]?.path).to.equal("/events/stream?transactionId=t");
    end();
    expect(isLive).to.equal(false);
    await closes();
  });

  it("says so again after a break", async () => {
    await start();
    await becomes(true);
    service.cut();
    await eventually(
      "another stream",
      async () => service.streamCalls().length,
      (calls) => calls === 2,
    );
    await becomes(true);
    service.tell();
    await hasChanged(2);
  });

  it("is not live where a proxy keeps the stream back, and polls next to nothing", async () => {
    await start("a page");
    await eventually(
      "a poll",
      async () => service.pageCalls().length,
      (calls) => calls > 0,
    );
    service.tell();
    expect({ isLive, changes }).to.deep.equal({ isLive: false, changes: 0 });
    expect(service.calls.length).to.be.at.most(3);
  });

  it("tries again after an outage at the start, and not after a refusal", async () => {
    await start({ refused: 503, code: "NOT_READY" }, "works");
    await becomes(true);
    end();
    await service.stop();
    await start({ refused: 404, code: "TRANSACTION_NOT_FOUND" });
    await eventually(
      "the answer",
      async () => service.closed(),
      (closed) => closed === 1,
    );
    page.see("visible");
    await eventually(
      "another one",
      async () => service.closed(),
      (closed) => closed === 2,
    );
    expect(isLive).to.equal(false);
  });

  it("gives its connection up where nobody sees the page for a while, and takes it up again", async () => {
    await start();
    await becomes(true);
    page.see("hidden");
    page.see("visible");
    expect(service.openStreams()).to.equal(1);
    page.see("hidden");
    await closes();
    expect(isLive).to.equal(false);
    page.see("visible");
    await becomes(true);
    expect(service.streamCalls()).to.have.length(2);
  });

  it("has one connection at most, and another one when the network is back", async () => {
    await start();
    await becomes(true);
    page.say("online");
    await eventually(
      "another stream",
      async () => service.streamCalls().length,
      (calls) => calls === 2,
    );
    await becomes(true);
    page.say("pagehide");
    expect(isLive).to.equal(false);
    await closes();
    page.say("pageshow");
    await becomes(true);
    expect(service.streamCalls()).to.have.length(3);
  });

  it("hears nothing more once it has ended", async () => {
    await start();
    await becomes(true);
    end();
    await closes();
    page.say("online");
    page.say("pageshow");
    page.see("visible");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(service.streamCalls()).to.have.length(1);
  });
});
