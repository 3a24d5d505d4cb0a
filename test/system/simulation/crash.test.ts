import { expect } from "chai";
import { crash } from "../../simulation/crash.ts";
import { type CrashWorld, type Customer, startCrashWorld } from "../../simulation/crash-world.ts";
import { eventually } from "../../support/eventually.ts";

/** Any number: the lock on which the database waits where a test wants it to. */
const LOCK = 7_077;

describe("what was handed in, when processes end by kill -9", function () {
  this.timeout(240_000);

  describe("at a chosen point", () => {
    let world: CrashWorld;
    let customer: Customer;
    let customers = 0;

    before(async () => {
      world = await startCrashWorld();
      world.api.start();
      world.indexer.start();
      await world.persist("GET", "/health");
      await world.rig.pool.query(
        `create function public.wait_here() returns trigger language plpgsql as
           $$ begin perform pg_advisory_xact_lock_shared(${LOCK}); return coalesce(new, old); end $$`,
      );
    });
    after(() => world.stop());
    beforeEach(() => {
      customer = world.customer(customers);
      customers += 1;
    });
    afterEach(() => world.rig.liar.honest());

    /** Makes the database wait at a statement, does something meanwhile, and lets it go on. */
    async function held(
      trigger: string,
      start: () => unknown,
      meanwhile: () => Promise<void>,
    ): Promise<void> {
      const { pool } = world.rig;
      const holder = await pool.connect();
      try {
        await holder.query(`create ${trigger} execute function public.wait_here()`);
        await holder.query("select pg_advisory_lock($1)", [LOCK]);
        start();
        await eventually(
          "a statement that waits",
          async () =>
            (
              await pool.query(
                "select from pg_locks where locktype = 'advisory' and objid = $1 and not granted",
                [LOCK],
              )
            ).rowCount,
          (waiting) => waiting !== 0,
        );
        await meanwhile();
      } finally {
        await holder.query("select pg_advisory_unlock($1)", [LOCK]);
        await holder.query(`drop trigger wait_here on ${/ on (\S+)/.exec(trigger)?.[1]}`);
        holder.release();
      }
    }

    const storedCount = async (id: string) =>
      (await world.rig.pool.query("select from service.transactions where request_id = $1", [id])).rowCount;

    async function restartApi() {
      await world.api.kill();
      world.api.start();
    }
    async function restartIndexer() {
      await world.indexer.kill();
      world.indexer.start();
    }

    async function endsOnce() {
      await world.untilConfirmed([customer]);
      expect(await world.problems([customer])).to.deep.equal([]);
    }

    for (const keyed of [true, false]) {
      it(`the API, while a transaction is stored ${keyed ? "with" : "without"} an Idempotency-Key: nothing is stored, as nothing was answered, and the client's next try is a success`, async () => {
        const submitted = await world.prepare(customer);
        const { signedTransaction } = submitted;
        let answer: Promise<unknown> = Promise.resolve();
        await held(
          "trigger wait_here after insert on service.transactions for each row",
          () => {
            const key: Record<string, string> = keyed ? { "Idempotency-Key": "the-one-before-the-kill" } : {};
            answer = world.call("POST", `/transactions/${submitted.id}/submit`, { signedTransaction }, key);
          },
          world.api.kill,
        );
        expect(await answer).to.equal(undefined);
        expect(await storedCount(submitted.id)).to.equal(0);
        world.api.start();
        await world.handIn(customer, submitted);
        await endsOnce();
      });
    }

    it("the API, when it has stored and not answered: it is sent, and the client's next try is the same success", async () => {
      const submitted = await world.prepare(customer);
      const { signedTransaction } = submitted;
      // On a busy machine PostgreSQL may give up what has waited too long, as it does in service: then once more.
      for (let tries = 1; (await storedCount(submitted.id)) === 0; tries += 1) {
        expect(tries, "PostgreSQL gave it up each time").to.be.at.most(5);
        if (tries > 1) world.api.start();
        let answer: Promise<unknown> = Promise.resolve();
        await world.persist("GET", "/health");
        await held(
          "constraint trigger wait_here after insert on service.transactions deferrable initially deferred for each row",
          () => {
            answer = world.call("POST", `/transactions/${submitted.id}/submit`, { signedTransaction });
          },
          world.api.kill,
        );
        expect(await answer).to.equal(undefined);
        await eventually(
          "the end of what was under way",
          async () =>
            (
              await world.rig.pool.query(
                "select from pg_stat_activity where application_name = 'asset-registry api' and datname = current_database()",
              )
            ).rowCount,
          (connections) => connections === 0,
        );
      }
      world.api.start();
      await world.rig.reach(submitted.id, "Submitted");
      await world.handIn(customer, submitted);
      await endsOnce();
    });

    for (const sent of [false, true]) {
      it(`both, while the node holds its answer, ${sent ? "having" : "not having"} taken the transaction`, async () => {
        const submitted = await world.prepare(customer);
        const { liar } = world.rig;
        liar.calls.length = 0;
        let there = false;
        liar.on("eth_sendRawTransaction", async ({ forward }) => {
          if (sent) await forward();
          there = true;
          return "hold" as const;
        });
        await world.handIn(customer, submitted);
        await eventually("the call", async () => there, Boolean);
        expect((await world.rig.stateOf(submitted.id)).state).to.equal("TxSignatureSubmitted");
        await Promise.all([world.api.kill(), world.indexer.kill()]);
        liar.honest();
        world.api.start();
        world.indexer.start();
        const { signedTransaction } = submitted;
        const { value } = await world.persist("POST", `/transactions/${submitted.id}/submit`, {
          signedTransaction,
        });
        expect(value.transactionHash).to.equal(submitted.hash);
        await world.rig.reach(submitted.id, "Submitted");
        await endsOnce();
      });
    }

    it("the indexer, between the node's answer and the note of it", async () => {
      const submitted = await world.prepare(customer);
      await held(
        "trigger wait_here after update of accepted_at on service.transactions for each row",
        () => world.handIn(customer, submitted),
        world.indexer.kill,
      );
      expect((await world.rig.stateOf(submitted.id)).state).to.equal("TxSignatureSubmitted");
      await restartIndexer();
      await world.rig.reach(submitted.id, "Submitted");
      await endsOnce();
    });

    it("the indexer, while it stores the block that holds the transaction", async () => {
      const submitted = await world.prepare(customer);
      await world.handIn(customer, submitted);
      await world.rig.reach(submitted.id, "Submitted");
      await held(
        "trigger wait_here after insert on chain.assets for each row",
        () => world.rig.mine(),
        world.indexer.kill,
      );
      expect((await world.rig.stateOf(submitted.id)).state).to.equal("Submitted");
      await Promise.all([restartIndexer(), restartApi()]);
      await endsOnce();
    });

    it("the indexer, in the middle of a reorg's rollback", async () => {
      const submitted = await world.prepare(customer);
      await world.handIn(customer, submitted);
      await world.rig.reach(submitted.id, "Submitted");
      await world.rig.mine();
      await world.rig.reach(submitted.id, "Committed");
      await world.rig.mine(2);
      await world.rig.caughtUp();
      await held(
        "trigger wait_here before delete on chain.blocks for each row",
        () => world.rig.anvil.rpc("anvil_reorg", [3, []]),
        world.indexer.kill,
      );
      expect((await world.rig.stateOf(submitted.id)).state).to.equal("Committed");
      await restartIndexer();
      await world.rig.reach(submitted.id, "Submitted");
      await endsOnce();
      const states = (await world.rig.history(submitted.id)).map(({ state }) => state);
      expect(states.slice(-4)).to.deep.equal(["Committed", "Submitted", "Committed", "Confirmed"]);
    });
  });

  it("at points that a seed chooses: all of it is on the chain in the end, once", async () => {
    const { problems, kills } = await crash({ seed: 1, kills: 8 });
    expect(problems).to.deep.equal([]);
    expect(kills).to.equal(8);
  });
});
