import { expect } from "chai";
import { allRoutes } from "../../../api/routes.ts";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { type Call, expectError, fieldsOf, keys, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { connect } from "../../support/connect.ts";
import { document } from "../../support/contract.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";

/** Every parameter of every operation, as the document names them: a new one is held to the same. */
describe("query parameters", () => {
  let issuer: Issuer;
  let api: TestApi;
  let bearer: string;
  let [first, second]: AssetId[] = [];
  const hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  before(async () => {
    issuer = await startIssuer();
    api = await startApi({ issuer: issuer.url });
    bearer = await issuer.token();
    await connect(api, bearer, owner);
    const facts = chainFacts(api.pool, api.registry);
    [first, second] = [await facts.asset({ hash }), await facts.asset({ hash })];
    for (const parent of [first, second]) {
      for (let index = 0; index < 3; index += 1) await facts.link(parent, await facts.asset());
    }
    for (const key of Object.values(keys)) {
      for (let index = 0; index < 3; index += 1) {
        await api.post("/assets/", { name: "Lease", author: owner.address }, { key });
      }
    }
  });
  after(async () => {
    await api.stop();
    await issuer.stop();
  });

  async function expectRefused(path: string, field: string, options: Call & { method?: string } = {}) {
    const answer = await api.call(options.method ?? "GET", path, options);
    expectError(answer, 400, "INVALID_REQUEST");
    expect(fieldsOf(answer), path).to.deep.equal([field]);
  }

  const pathOf = (path: string) =>
    path.replace("{assetId}", first ?? "").replace(/\{\w+\}/g, "00000000-0000-4000-8000-000000000000");

  for (const { method, path, access, body } of allRoutes) {
    if (access === "open") continue;
    const parameters = document.paths[path]?.[method]?.parameters as { name: string; in: string }[];
    const names = parameters.filter((one) => one.in === "query").map(({ name }) => name);
    const asked = { method: method.toUpperCase(), ...(body === undefined ? {} : { body: {} }) };

    it(`${asked.method} ${path} refuses those that it does not have, by name`, async () => {
      for (const name of ["surprise", "Page", "size ", "__proto__", "constructor", "page[a]", "page[]"]) {
        const query = `${encodeURIComponent(name)}=1`;
        await expectRefused(`${pathOf(path)}?${query}`, name, { ...asked, bearer });
      }
    });

    for (const name of names) {
      it(`${asked.method} ${path} takes ${name} once, and not empty`, async () => {
        const good = name === "page" || name === "size" ? "1" : "x";
        for (const query of [`${name}=${good}&${name}=${good}`, `${name}=&${name}=`, `${name}=`, name]) {
          await expectRefused(`${pathOf(path)}?${query}`, name, asked);
        }
      });

      if (name !== "page" && name !== "size") continue;
      it(`${asked.method} ${path} takes ${name} as a whole number alone`, async () => {
        const bad = [
          "-1",
          "0",
          "1e3",
          String(2n ** 70n),
          "1.5",
          "+1",
          "%201",
          "0x1",
          "NaN",
          "Infinity",
          "٣",
          "1,2",
        ];
        for (const value of bad) await expectRefused(`${pathOf(path)}?${name}=${value}`, name, asked);
      });
    }
  }

  it("cursor is good for its own list and reader alone, and as it was given", async () => {
    const mine: Call = {};
    const theirs: Call = { key: keys["tenant-b"] };
    const nobody: Call = { key: null };
    const user: Call = { key: null, bearer };
    const lists: [string, Call][] = [
      ["/assets/?", mine],
      ["/assets/?", theirs],
      [`/assets/?author=${owner.address}&`, mine],
      ["/transactions/?", mine],
      ["/transactions/?", theirs],
      ["/transactions/?", user],
      ["/transactions/?state=Received&", mine],
      [`/assets/${first}/links?`, mine],
      [`/assets/${second}/links?`, mine],
      [`/public/assets/${first}/links?`, nobody],
      [`/public/assets/?hash=${hash}&`, nobody],
      ["/public/assets/?", nobody],
      [`/public/assets/?author=${owner.address}&`, nobody],
    ];
    for (const [index, [list, reader]] of lists.entries()) {
      const { next = "" } = (await api.get(`${list}size=1`, reader)).meta ?? {};
      expect(next, list).to.match(/^[\w-]{20,}$/);
      expect((await api.get(`${list}size=1&cursor=${next}`, reader)).status).to.equal(200);
      const flipped = next.slice(0, -4) + (next.at(-4) === "A" ? "B" : "A") + next.slice(-3);
      for (const forged of [next.slice(0, -1), `${next}A`, `${next}=`, flipped, next.slice(1), "AAAA"]) {
        await expectRefused(`${list}cursor=${forged}`, "cursor", reader);
      }
      for (const [place, [other, stranger]] of lists.entries()) {
        // What is on the chain is everybody's, and so is the place in a list of it.
        const shared = other === list && list.includes("/links");
        if (place !== index && !shared) await expectRefused(`${other}cursor=${next}`, "cursor", stranger);
      }
    }
  });
});
