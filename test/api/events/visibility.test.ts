import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import type { Address } from "viem";
import { isTold, roomsFor, roomsOf } from "../../../api/events/visibility.ts";
import type { LoggedEvent } from "../../../db/service/events/event.ts";
import { type EventFilter, readAllEvents, readEvents } from "../../../db/service/events/read.ts";
import { type User, walletsOf } from "../../../db/service/wallets.ts";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { toBytes } from "../../../domain/bytes.ts";
import { chainKinds, eventKinds, requestKinds } from "../../../domain/events/kinds.ts";
import { keys, startApi, type TestApi } from "../../support/api.ts";
import { other, owner, third } from "../../support/chain/accounts.ts";
import { type Told, tell } from "../../support/database/tell.ts";

const tenants = Object.keys(keys) as (keyof typeof keys)[];
const authors = [owner.address, other.address, third.address];
const users: User[] = [
  { issuer: "https://one.example", subject: "alice" },
  { issuer: "https://one.example", subject: "bob" },
  { issuer: "https://two.example", subject: "alice" },
];

/** Each event is in memory for exactly those for whom the database reads it. */
describe("who is told of an event", () => {
  let api: TestApi;
  let requests: { id: string; tenant: string; author: Address; assetId: AssetId }[] = [];
  const assets: AssetId[] = [`0x${"a".repeat(64)}`, `0x${"b".repeat(64)}`];

  before(async () => {
    api = await startApi();
    for (const tenant of tenants) {
      for (const author of authors) {
        const { value } = await api.post("/assets/", { name: "Lease", author }, { key: keys[tenant] });
        requests.push({ id: value.transactionId, tenant, author, assetId: value.id });
      }
    }
    const chain = fc.record({
      kind: fc.constantFrom(...chainKinds),
      assetId: fc.constantFrom(...assets, ...requests.map(({ assetId }) => assetId)),
      targetId: fc.option(fc.constantFrom(...assets), { nil: undefined }),
      author: fc.constantFrom(...authors),
    });
    const ofRequests = fc
      .constantFrom(...requests)
      .chain(({ id, ...request }) =>
        fc
          .record({ kind: fc.constantFrom(...requestKinds) })
          .map(({ kind }) => ({ kind, requestId: id, ...request })),
      );
    for (const event of fc.sample<Told>(fc.oneof(chain, ofRequests), 200)) await tell(api.pool, event);
  });
  after(async () => {
    requests = [];
    await api.stop();
  });

  /** Connects an author to a user, or to nobody. */
  async function hold(author: Address, user: User | undefined): Promise<void> {
    await api.pool.query("delete from service.wallets where address = $1", [toBytes(author)]);
    if (user === undefined) return;
    await api.pool.query(
      "insert into service.wallets (id, issuer, subject, name, description, address) values ($1, $2, $3, '', '', $4)",
      [randomUUID(), user.issuer, user.subject, toBytes(author)],
    );
  }

  const filters = () =>
    fc
      .record({
        kinds: fc.subarray([...eventKinds], { minLength: 1 }),
        assetId: fc.option(fc.constantFrom(...assets, ...requests.map(({ assetId }) => assetId)), {
          nil: undefined,
        }),
        tenant: fc.option(fc.constantFrom(...tenants), { nil: undefined }),
        user: fc.option(fc.constantFrom(...users), { nil: undefined }),
        requestId: fc.option(fc.constantFrom(...requests.map(({ id }) => id)), { nil: undefined, freq: 3 }),
      })
      .map(
        ({ tenant, user, requestId, ...filter }): EventFilter =>
          requestId === undefined ? { ...filter, audience: { tenant, user } } : { ...filter, requestId },
      );

  const sequences = (events: readonly LoggedEvent[]) => events.map(({ sequence }) => sequence);

  it("is decided in memory as in the database, and is in one of the event's rooms", async () => {
    const holders = fc.tuple(...authors.map(() => fc.option(fc.constantFrom(...users), { nil: undefined })));
    let told = 0;
    await fc.assert(
      fc.asyncProperty(
        holders,
        fc.array(filters(), { minLength: 5, maxLength: 20 }),
        async (holding, asked) => {
          for (const [index, author] of authors.entries()) await hold(author, holding[index]);
          const all = await readAllEvents(api.pool, 0, 10_000);
          for (const filter of asked) {
            const user = filter.requestId === undefined ? filter.audience.user : undefined;
            const own = user === undefined ? [] : await walletsOf(api.pool, user);
            const interest = { filter, wallets: new Set(own.map(({ address }) => address)) };
            const inMemory = all.filter((event) => isTold(interest, event));
            expect(sequences(inMemory)).to.deep.equal(
              sequences(await readEvents(api.pool, filter, 0, 10_000)),
            );
            const rooms = new Set(roomsFor(interest));
            for (const event of inMemory)
              expect(roomsOf(event).some((room) => rooms.has(room))).to.equal(true);
            told += inMemory.length;
          }
        },
      ),
      { numRuns: 40 },
    );
    expect(told).to.be.greaterThan(1_000);
  });
});
