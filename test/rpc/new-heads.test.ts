import { expect } from "chai";
import { eventually } from "../support/eventually.ts";
import { type LiarRig, startLiarRig } from "../support/rigs/liar-rig.ts";

describe("new blocks over a WebSocket", () => {
  let rig: LiarRig;

  const start = async (pollInterval: number) => {
    rig = await startLiarRig({ socket: true, pollInterval });
    await rig.startIndexer();
    await eventually(
      "the subscription",
      async () => rig.liar.tunnels,
      (count) => count === 1,
    );
    await rig.caughtUp();
  };
  afterEach(() => rig.stop());

  it("are read at once, long before the next poll", async () => {
    await start(600_000);
    for (let round = 0; round < 3; round += 1) {
      const { asset } = await rig.createInBlock();
      await rig.indexed(asset);
    }
  });

  // The rig looks for a sign of life every half second; in service it is ten, so silence shows within twenty.
  it("are read by polling while the socket is silent, which is noticed, and it is opened again", async () => {
    await start(500);
    rig.liar.swallowSockets();
    const made = [];
    for (let index = 0; index < 20; index += 1) made.push(await rig.createInBlock());
    for (const { asset } of made) await rig.indexed(asset);
    await eventually(
      "the silence to be noticed",
      async () => rig.counted("socket_lost_total"),
      (count) => count > 0,
    );
    rig.liar.honest();
    await eventually(
      "a new socket",
      async () => rig.logged.some(({ msg }) => /WebSocket connected again/.test(msg)),
      Boolean,
    );
    expect(rig.logged.filter(({ msg }) => /WebSocket lost/.test(msg))).to.have.length(1);
  });

  it("are read by polling when the socket breaks, and it is opened again", async () => {
    await start(200);
    await rig.liar.shut();
    await rig.liar.open();
    const { asset } = await rig.createInBlock();
    await rig.indexed(asset);
    await eventually(
      "a new socket",
      async () => rig.liar.tunnels,
      (count) => count === 1,
    );
  });
});
