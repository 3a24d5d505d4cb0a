import { expect } from "chai";
import { type Hex, parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { eventually } from "../../support/eventually.ts";
import { type Service, startService } from "../../support/service.ts";

type Figures = { balance: string; problem: string | null; waiting: number; underWay: number; oldest: number };

describe("what GET /status and GET /metrics say of a relayer at work", () => {
  let service: Service;
  const key = generatePrivateKey();
  const relayer = privateKeyToAccount(key);
  const author = privateKeyToAccount(generatePrivateKey());
  const budget = { key, dailyBudget: parseEther("0.05") };

  before(async () => {
    service = await startService({ relayer: budget });
  });
  after(() => service.stop());

  const fund = (value: bigint) => service.rig.chain.setBalance({ address: relayer.address, value });

  async function handIn(): Promise<string> {
    const { transactionId: id } = (await service.post("/assets/", { name: "Lease", author: author.address }))
      .value;
    const { gasless } = (await service.get(`/transactions/${id}`)).value;
    const signature: Hex = await author.signTypedData(gasless);
    expect((await service.post(`/transactions/${id}/submit`, { signature })).status).to.equal(202);
    return id;
  }

  async function metric(name: string): Promise<number | undefined> {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const line = text.split("\n").find((one) => one.startsWith(`asset_registry_${name} `));
    return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ")));
  }

  /** From both, which must agree. */
  async function figures(): Promise<Figures> {
    const { address, balance, ...rest } = (await service.get("/status")).value.relayer;
    expect(address).to.equal(relayer.address);
    expect(await metric(`relayer_info{address="${relayer.address}"}`)).to.equal(1);
    const seen = {
      balance: await metric("relayer_balance_wei"),
      waiting: await metric("relays_waiting"),
      underWay: await metric("relays_under_way"),
    };
    expect(seen).to.deep.equal({ balance: Number(balance), waiting: rest.waiting, underWay: rest.underWay });
    return {
      ...rest,
      balance,
      oldest: (await metric('queue_age_seconds{queue="relay"}')) ?? -1,
    };
  }

  const until = (what: string, holds: (seen: Figures) => boolean) =>
    eventually(
      what,
      () => figures().catch(() => undefined),
      (seen) => seen !== undefined && holds(seen),
    );

  it("follows it from an empty account to a block: balance, what waits, since when, what is under way", async () => {
    await fund(1n);
    await until("the balance", ({ balance }) => balance === "1");
    expect(await figures()).to.deep.equal({
      balance: "1",
      problem: null,
      waiting: 0,
      underWay: 0,
      oldest: 0,
    });

    const ids = [await handIn(), await handIn()];
    await until("two that wait", ({ waiting, problem }) => waiting === 2 && problem !== null);
    const waiting = await figures();
    expect(waiting).to.include({ problem: "the relayer's balance is too low", underWay: 0 });
    expect(waiting.oldest).to.be.within(0.001, 60);
    await until("the oldest grown older", ({ oldest }) => oldest > waiting.oldest);

    await fund(parseEther("1"));
    await until("two under way", (seen) => seen.waiting === 0 && seen.underWay === 2);
    expect(await figures()).to.include({ balance: String(parseEther("1")), problem: null, oldest: 0 });
    for (const id of ids) await service.rig.reach(id, "Submitted");

    await service.rig.mine();
    for (const id of ids) await service.rig.reach(id, "Committed");
    const balance = await service.rig.chain.getBalance({ address: relayer.address });
    expect(balance < parseEther("1")).to.equal(true);
    await until("it done", (seen) => seen.underWay === 0 && seen.balance === String(balance));
    expect(await figures()).to.include({ waiting: 0, problem: null, oldest: 0 });
  });

  it("names the key's successor, and what the earlier one left behind", async () => {
    await fund(parseEther("1"));
    const id = await handIn();
    await service.rig.reach(id, "Submitted");
    await service.rig.stopIndexer();
    const later = generatePrivateKey();
    await service.rig.startIndexer({ ...budget, key: later });
    const said = await eventually(
      "the successor",
      async () => (await service.get("/status")).value.relayer,
      (seen) => seen?.address === privateKeyToAccount(later).address && seen.problem !== null,
    );
    expect(said.problem).to.contain(relayer.address);
    expect(said).to.include({ waiting: 0, underWay: 1, balance: "0" });
    await service.rig.mine();
    await service.rig.reach(id, "Committed");
  });
});
