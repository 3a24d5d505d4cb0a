import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { inTransaction } from "../../../db/core/pool.ts";
import { recordRelayFailure, relaysDue } from "../../../db/service/relays/waiting-relays.ts";
import { eventually } from "../../support/eventually.ts";
import { type RelayerRig, startRelayerRig } from "../../support/rigs/relayer-rig.ts";

describe("signatures that the relayer cannot send", () => {
  let rig: RelayerRig;
  beforeEach(async () => {
    rig = await startRelayerRig();
  });
  afterEach(() => rig.stop());

  const tenantOf = (id: string, tenant: string) =>
    rig.pool.query("update service.requests set tenant = $2 where id = $1", [id, tenant]);
  const rowOf = async (id: string) =>
    (
      await rig.pool.query<{ failures: number; pause: number; obstacle: string | null }>(
        `select failures, obstacle, extract(epoch from next_attempt_at - failing_at)::float8 as pause
         from service.relays where request_id = $1`,
        [id],
      )
    ).rows[0];
  const makeDue = () => rig.pool.query("update service.relays set next_attempt_at = now()");

  /** One tenant's calls, for each of which the node thinks for long and then gives up, or says nothing at all. */
  async function flood(count: number, answer: "error" | "silence"): Promise<string[]> {
    const ids: string[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      const { id } = await rig.signedCreation();
      await tenantOf(id, "another");
      ids.push(id);
    }
    const salts = new Set<string>();
    for (const id of ids) {
      const { change } = await rig.find(id);
      if (change.kind === "create") salts.add(change.salt.slice(2));
    }
    rig.liar.on("eth_estimateGas", async ({ params }) => {
      const { data } = params[0] as { data: string };
      if (![...salts].some((salt) => data.includes(salt))) return undefined;
      if (answer === "silence") return "drop";
      await sleep(200);
      return { error: { code: -32000, message: "execution aborted (timeout = 5s)" } };
    });
    return ids;
  }

  for (const answer of ["error", "silence"] as const) {
    it(`keep those of another tenant waiting for no longer than a moment, where the node answers by ${answer}`, async () => {
      await flood(40, answer);
      const { id } = await rig.signedCreation();
      const since = performance.now();
      await rig.startIndexer();
      await rig.reach(id, "Submitted");
      // All of them one after the other would take eight seconds and more.
      expect(performance.now() - since).to.be.below(4_000);
    });
  }

  it("are due in turns of tenants, and of one tenant those first that have not failed", async () => {
    const ids: string[] = [];
    for (const tenant of ["one", "one", "one", "two"]) {
      const { id } = await rig.signedCreation();
      await tenantOf(id, tenant);
      ids.push(id);
    }
    const [failed = "", first = "", second = "", other = ""] = ids;
    const failure = { reason: "NOT_ESTIMATED", seconds: 0, at: 1 };
    await inTransaction(rig.pool, (tx) =>
      recordRelayFailure(tx, failed, failure, { attempts: 9, seconds: 9 }),
    );
    const due = await relaysDue(rig.pool, 3);
    expect(due.map(({ requestId }) => requestId)).to.deep.equal([first, other, second]);
  });

  it("are tried again after pauses that double, and end as NOT_ESTIMATED", async () => {
    const [id = ""] = await flood(1, "error");
    await rig.startIndexer();
    for (const [failures, least] of [
      [1, 5],
      [2, 10],
      [3, 20],
    ] as const) {
      await eventually(
        "a failure",
        () => rowOf(id),
        (row) => row?.failures === failures,
      );
      const row = await rowOf(id);
      expect(row?.obstacle).to.equal("NOT_ESTIMATED");
      expect(row?.pause).to.be.within(least - 0.1, 2 * least);
      await makeDue();
    }
    await rig.mine(6);
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const before = (await rowOf(id))?.failures ?? 0;
      await makeDue();
      await eventually(
        "one more, or the end",
        async () => ({ row: await rowOf(id), state: (await rig.stateOf(id)).state }),
        ({ row, state }) => state === "RevokedByTxServer" || (row?.failures ?? 0) > before,
      );
      if ((await rig.stateOf(id)).state === "RevokedByTxServer") break;
    }
    expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByTxServer", reason: "NOT_ESTIMATED" });
  });
});
