import { createHash } from "node:crypto";
import { expect } from "chai";
import { writeCursor } from "../../../api/operation/page-cursor.ts";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { expectError, fieldsOf, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";

/** A cursor carries no secret: anybody can tie any place to a list, and none may be a fault of ours. */
describe("cursors that somebody made", () => {
  let api: TestApi;
  let asset: AssetId;

  before(async () => {
    api = await startApi();
    const facts = chainFacts(api.pool, api.registry);
    asset = await facts.asset();
    await facts.link(asset, await facts.asset());
    await api.post("/assets/", { name: "Lease", author: owner.address });
  });
  after(() => api.stop());

  /** As `writeCursor` does it, of a text that need not be JSON. */
  function tied(scope: unknown[], text: string): string {
    const body = Buffer.from(text, "latin1");
    const tie = createHash("sha256").update(JSON.stringify(scope)).update("\0").update(body).digest();
    return Buffer.concat([tie.subarray(0, 9), body]).toString("base64url");
  }

  it("are tied as those that the service makes", () => {
    expect(tied(["links", asset], "[1,2]")).to.equal(writeCursor(["links", asset], [1, 2]));
  });

  const uuid = "ffffffff-ffff-ffff-ffff-ffffffffffff";
  const times = [
    "0000-01-01T00:00:00.000000Z",
    "9999-99-99T99:99:99.999999Z",
    "2026-02-30T00:00:00.000000Z",
    "2026-11-28T24:00:00.000000Z",
    "2026-11-28T23:59:60.000000Z",
    "+10000-01-01T00:00:00.000000Z",
    "infinity",
    "",
    "\0",
    "x".repeat(500),
  ];
  const numbers = [-2, 1.5, 1e300, 2 ** 53, "1", "\0", null, [], {}, true];
  const ids = ["", "x", "\0", "ffffffff", 7, null, `${uuid}0`];

  /** The scope of each list, and what is no place in it. */
  const lists: [string, (of: AssetId) => { path: string; scope: unknown[]; wrong: unknown[] }][] = [
    [
      "GET /assets/",
      () => ({
        path: "/assets/",
        scope: ["assets", "tenant-a", {}],
        wrong: [
          ...times.map((time) => ["requests", time, uuid, 7]),
          ...ids.map((id) => ["requests", "2026-11-28T00:00:00.000000Z", id, 7]),
          ...numbers.map((number) => ["requests", "2026-11-28T00:00:00.000000Z", uuid, number]),
          ...numbers.flatMap((number) => [
            ["chain", number, 0],
            ["chain", 0, number],
          ]),
          ["elsewhere", 1, 1],
        ],
      }),
    ],
    [
      "GET /transactions/",
      () => ({
        path: "/transactions/",
        scope: ["transactions", "tenant-a", undefined, undefined],
        wrong: [
          ...times.map((at) => ({ at, id: uuid })),
          ...ids.map((id) => ({ at: "2026-11-28T00:00:00.000000Z", id })),
          { at: "2026-11-28T00:00:00.000000Z", id: uuid, more: 1 },
        ],
      }),
    ],
    [
      "GET /assets/{assetId}/links",
      (of) => ({
        path: `/assets/${of}/links`,
        scope: ["links", of],
        wrong: numbers
          .filter((number) => number !== null)
          .flatMap((number) => [
            { from: number, to: null },
            { from: [number, 0], to: null },
            { from: null, to: [0, number] },
          ]),
      }),
    ],
    [
      "GET /public/assets/{assetId}/links",
      (of) => ({
        path: `/public/assets/${of}/links`,
        scope: ["public links", of],
        wrong: numbers
          .filter((number) => number !== null)
          .flatMap((number) => [
            { from: number, to: null },
            { from: [number, 0, 0], to: null },
            { from: null, to: [0, number, 0] },
            { from: null, to: [1, 0, number] },
          ]),
      }),
    ],
  ];

  for (const [name, listOf] of lists) {
    it(`${name} refuses every place that it does not have, and text that is no JSON`, async () => {
      const { path, scope, wrong } = listOf(asset);
      const places = [null, [], {}, "", ...wrong].map((place) => JSON.stringify(place));
      const broken = ["{", "[1,", "\\u0000", "nul", "[".repeat(300), '{"__proto__":', "\xff", "\0"];
      const cursors = [...places, ...broken].map((body) => tied(scope, body));
      for (const cursor of cursors) {
        const answer = await api.get(`${path}?cursor=${cursor}`);
        expectError(answer, 400, "INVALID_REQUEST");
        expect(fieldsOf(answer)).to.deep.equal(["cursor"]);
      }
    });
  }

  it("takes the farthest places that there can be for the end of the list", async () => {
    const most = Number.MAX_SAFE_INTEGER;
    for (const [path, scope, place] of [
      ["/assets/", ["assets", "tenant-a", {}], ["chain", most, most]],
      ["/assets/", ["assets", "tenant-a", {}], ["requests", "9999-12-31T23:59:59.999999Z", uuid, most]],
      ["/assets/", ["assets", "tenant-a", {}], ["requests", "0001-01-01T00:00:00.000000Z", uuid, -1]],
      [
        "/transactions/",
        ["transactions", "tenant-a", undefined, undefined],
        { at: "0001-01-01T00:00:00.000000Z", id: uuid },
      ],
      [`/assets/${asset}/links`, ["links", asset], { from: [most, most], to: [most, most] }],
      [
        `/public/assets/${asset}/links`,
        ["public links", asset],
        { from: [0, most, most], to: [1, most, most] },
      ],
    ] as const) {
      const answer = await api.get(`${path}?cursor=${writeCursor(scope, place)}`);
      expect(answer.status, JSON.stringify(place)).to.equal(200);
    }
  });

  it("refuses times of creation that the database cannot hold, in any offset", async () => {
    for (const field of ["createdFrom", "createdTo"]) {
      for (const time of [
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        `2026-11-28T00:00:00.${"1".repeat(10_000)}Z`,
        "infinity",
        "\0",
      ]) {
        const answer = await api.get(`/assets/?${field}=${encodeURIComponent(time)}`);
        expectError(answer, 400, "INVALID_REQUEST");
        expect(fieldsOf(answer)).to.deep.equal([field]);
      }
      for (const time of ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "1969-12-31T23:59:59Z"]) {
        expect((await api.get(`/assets/?${field}=${time}`)).status, time).to.equal(200);
      }
    }
  });
});
