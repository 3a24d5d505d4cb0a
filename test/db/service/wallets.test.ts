import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Address } from "viem";
import {
  type Connected,
  connectWallet,
  holdsAddress,
  insertInitialisation,
  lockInitialisation,
  removeOldInitialisations,
  removeWallet,
  type User,
  walletsOf,
} from "../../../db/service/wallets.ts";
import { other, owner, third } from "../../support/chain/accounts.ts";
import { useDatabase } from "../rows.ts";

const alice: User = { issuer: "https://id.example", subject: "alice" };
const bob: User = { issuer: "https://id.example", subject: "bob" };
const namesake: User = { issuer: "https://another.example", subject: "alice" };

describe("the wallets of users", () => {
  const store = useDatabase();

  async function begin(user: User, seconds = 600): Promise<string> {
    const id = randomUUID();
    await insertInitialisation(store.pool, {
      id,
      user,
      name: `wallet of ${user.subject}`,
      description: "",
      token: randomUUID(),
      expiresAt: new Date(Date.now() + seconds * 1000),
    });
    return id;
  }

  /** Completes an initialisation as the API does: under its lock, in one transaction. */
  const complete = (user: User, id: string, address: Address): Promise<Connected | "used" | "unknown"> =>
    store.write(async (tx) => {
      const initialisation = await lockInitialisation(tx, user, id);
      if (initialisation === undefined) return "unknown";
      return initialisation.used ? "used" : connectWallet(tx, initialisation, address);
    });

  const connect = async (user: User, address: Address) => complete(user, await begin(user), address);
  const addresses = async (user: User) => (await walletsOf(store.pool, user)).map(({ address }) => address);

  describe("given an initialisation", () => {
    it("is found by the user who began it only", async () => {
      const id = await begin(alice);
      for (const [user, known] of [
        [alice, true],
        [bob, false],
        [namesake, false],
      ] as const) {
        const found = await store.write((tx) => lockInitialisation(tx, user, id));
        expect(found !== undefined).to.equal(known);
      }
    });

    it("tells whether it has expired and whether it is used", async () => {
      const [fresh, late] = [await begin(alice), await begin(alice, -1)];
      const look = (id: string) => store.write((tx) => lockInitialisation(tx, alice, id));
      expect(await look(fresh)).to.include({ expired: false, used: false });
      expect(await look(late)).to.include({ expired: true, used: false });
      await complete(alice, fresh, owner.address);
      expect(await look(fresh)).to.include({ expired: false, used: true });
    });

    it("is removed a day after it expired, and no sooner", async () => {
      const day = 86_400;
      const [late, older] = [await begin(alice, 60 - day), await begin(bob, -day - 60)];
      expect(await removeOldInitialisations(store.pool, 10)).to.equal(1);
      await connect(alice, owner.address);
      const look = (user: User, id: string) => store.write((tx) => lockInitialisation(tx, user, id));
      expect(await look(alice, late)).to.include({ expired: true });
      expect(await look(bob, older)).to.equal(undefined);
      expect(await addresses(alice)).to.deep.equal([owner.address]);
    });

    it("is not stored where the user has so many open", async () => {
      const open = {
        user: alice,
        name: "",
        description: "",
        expiresAt: new Date(Date.now() + 60_000),
      };
      const startOne = () =>
        insertInitialisation(store.pool, { ...open, id: randomUUID(), token: randomUUID() }, 2);
      expect([await startOne(), await startOne(), await startOne()]).to.deep.equal([true, true, false]);
      expect(
        await insertInitialisation(store.pool, { ...open, user: bob, id: randomUUID(), token: "b" }, 2),
      ).to.equal(true);
    });

    it("becomes the wallet of its id", async () => {
      const id = await begin(alice);
      const wallet = { id, name: "wallet of alice", description: "", address: owner.address };
      expect(await complete(alice, id, owner.address)).to.deep.equal({ wallet });
      expect(await walletsOf(store.pool, alice)).to.deep.equal([wallet]);
      expect(await holdsAddress(store.pool, alice, owner.address)).to.equal(true);
      expect(await holdsAddress(store.pool, bob, owner.address)).to.equal(false);
      expect(await holdsAddress(store.pool, namesake, owner.address)).to.equal(false);
    });

    it("completes once when it is completed ten times at once", async () => {
      const id = await begin(alice);
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          complete(alice, id, index % 2 === 0 ? owner.address : other.address),
        ),
      );
      expect(outcomes.filter((outcome) => outcome === "used")).to.have.lengthOf(9);
      expect(await walletsOf(store.pool, alice)).to.have.lengthOf(1);
    });
  });

  describe("given an address that is connected", () => {
    it("stays with its user, and the other's initialisation stays unused", async () => {
      await connect(alice, owner.address);
      const id = await begin(bob);
      expect(await complete(bob, id, owner.address)).to.deep.equal({ takenByAnother: true });
      expect(await addresses(alice)).to.deep.equal([owner.address]);
      expect(await addresses(bob)).to.deep.equal([]);
      expect(await store.write((tx) => lockInitialisation(tx, bob, id))).to.include({ used: false });
    });

    it("is another user's, too, under the same subject of another issuer", async () => {
      await connect(alice, owner.address);
      expect(await connect(namesake, owner.address)).to.deep.equal({ takenByAnother: true });
    });

    it("keeps its wallet when the same user connects it again", async () => {
      const first = await connect(alice, owner.address);
      const again = await connect(alice, owner.address.toLowerCase() as Address);
      expect(again).to.deep.equal(first);
      expect(await addresses(alice)).to.deep.equal([owner.address]);
    });

    it("is free for another user once it is removed", async () => {
      const first = await connect(alice, owner.address);
      const id = typeof first === "object" && "wallet" in first ? first.wallet.id : "";
      expect(await removeWallet(store.pool, bob, id)).to.equal(undefined);
      expect(await removeWallet(store.pool, namesake, id)).to.equal(undefined);
      expect(await removeWallet(store.pool, alice, id)).to.equal(owner.address);
      expect(await removeWallet(store.pool, alice, id)).to.equal(undefined);
      expect(await connect(bob, owner.address)).to.have.property("wallet");
      expect(await removeWallet(store.pool, bob, id)).to.equal(undefined);
      expect(await addresses(bob)).to.deep.equal([owner.address]);
      expect(await complete(alice, id, owner.address)).to.equal("used");
    });
  });

  describe("given two users at once", () => {
    it("gives the address to exactly one, in 50 rounds", async () => {
      for (let round = 0; round < 50; round += 1) {
        await store.pool.query("truncate service.wallets");
        const users = [alice, bob] as const;
        const ids = await Promise.all(users.map((user) => begin(user)));
        const outcomes = await Promise.all(
          users.map((user, index) => complete(user, ids[index] ?? "", owner.address)),
        );
        const winners = users.filter((_, index) => Object.hasOwn(Object(outcomes[index]), "wallet"));
        expect(winners).to.have.lengthOf(1);
        for (const user of users) {
          expect(await addresses(user)).to.deep.equal(winners.includes(user) ? [owner.address] : []);
        }
        const used = await Promise.all(
          users.map((user, index) => store.write((tx) => lockInitialisation(tx, user, ids[index] ?? ""))),
        );
        expect(used.map((one) => one?.used)).to.deep.equal(users.map((user) => winners.includes(user)));
      }
    });

    it("gives one user one wallet when both requests are theirs, in 50 rounds", async () => {
      for (let round = 0; round < 50; round += 1) {
        await store.pool.query("truncate service.wallets");
        const [one, two] = await Promise.all([connect(alice, owner.address), connect(alice, owner.address)]);
        expect(one).to.have.property("wallet");
        expect(two).to.deep.equal(one);
        expect(await addresses(alice)).to.deep.equal([owner.address]);
      }
    });
  });

  it("lists a user's wallets in the order of connecting", async () => {
    for (const { address } of [third, owner, other]) await connect(alice, address);
    expect(await addresses(alice)).to.deep.equal([third, owner, other].map(({ address }) => address));
  });
});
