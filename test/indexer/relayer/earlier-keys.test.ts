import { expect } from "chai";
import { parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { readRelayer } from "../../../db/service/relays/relayer.ts";
import { openRelayers } from "../../../db/service/relays/relayer-nonces.ts";
import { eventually } from "../../support/eventually.ts";
import { type RelayerRig, startRelayerRig } from "../../support/rigs/relayer-rig.ts";

describe("transactions that were signed with an earlier RELAYER_KEY", () => {
  let rig: RelayerRig;
  const key = generatePrivateKey();
  const later = privateKeyToAccount(key);
  const settings = { key, dailyBudget: parseEther("0.05") };

  beforeEach(async () => {
    rig = await startRelayerRig();
    await rig.fund(later);
  });
  afterEach(() => rig.stop());

  /** Signed and stored, and no node has it. */
  async function leftBehind(): Promise<string> {
    rig.holdBack();
    await rig.startIndexer();
    const { id } = await rig.signedCreation();
    await eventually("a plan", rig.attempts, (rows) => rows.length === 1);
    await rig.stopIndexer();
    rig.liar.honest();
    return id;
  }

  async function reachCommitted(id: string): Promise<void> {
    await rig.reach(id, "Submitted");
    await eventually("it in the pool", rig.pending, (count) => count >= 1);
    await rig.mine();
    await rig.reach(id, "Committed");
  }

  it("are sent again as they are, loudly, while a later key works", async () => {
    const id = await leftBehind();
    await rig.startIndexer(settings);
    const told = await eventually(
      "it told",
      () => readRelayer(rig.pool),
      (relayer) => relayer?.earlier !== undefined,
    );
    expect(told?.address).to.equal(later.address);
    expect(told?.earlier).to.deep.equal({ relayer: rig.account.address, underWay: 1 });
    expect(rig.logged.some(({ level, msg }) => level === 50 && msg.includes("earlier RELAYER_KEY"))).to.equal(
      true,
    );
    await reachCommitted(id);
    await reachCommitted((await rig.signedCreation()).id);
    await rig.mine(6);
    await eventually(
      "nothing to tell",
      () => readRelayer(rig.pool),
      (relayer) => relayer?.earlier === undefined,
    );
    expect([await rig.sent(), await rig.sent(later)]).to.deep.equal([1, 1]);
  });

  it("are sent again where no key is given any more", async () => {
    const id = await leftBehind();
    await rig.startIndexer(null);
    await reachCommitted(id);
  });

  for (const next of ["a later key", "no key"] as const) {
    it(`end with their deadline where they cannot be sent, with ${next}`, async () => {
      const id = await leftBehind();
      await rig.chain.setBalance({ address: rig.account.address, value: 0n });
      await rig.startIndexer(next === "no key" ? null : settings);
      await rig.chain.increaseTime({ seconds: 700 });
      await rig.mine(6);
      await rig.reach(id, "RevokedByTxServer");
      expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByTxServer", reason: "EXPIRED" });
      await eventually(
        "nothing under way",
        () => openRelayers(rig.pool),
        (open) => open.length === 0,
      );
    });
  }
});
