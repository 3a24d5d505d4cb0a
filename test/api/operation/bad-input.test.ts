import { gzipSync } from "node:zlib";
import { expect } from "chai";
import type { AssetId } from "../../../domain/asset/asset.ts";
import type { ErrorCode } from "../../../domain/errors.ts";
import { type Answer, expectError, fieldsOf, startApi, type TestApi } from "../../support/api.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { connect } from "../../support/connect.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";
import { signAs } from "../../support/sign.ts";

/** The rows of the table "Bad input, and what it gets": each refused by name, and nothing stored. */
describe("bad input", () => {
  let issuer: Issuer;
  let api: TestApi;
  let facts: ReturnType<typeof chainFacts>;
  let [parent, child, linked]: AssetId[] = [];
  let pending: { id: AssetId; transactionId: string };
  let bearer: string;
  let rows: string;

  before(async () => {
    issuer = await startIssuer();
    api = await startApi({ issuer: issuer.url });
    facts = chainFacts(api.pool, api.registry);
    parent = await facts.asset();
    child = await facts.asset();
    linked = await facts.asset();
    await facts.link(parent, linked);
    pending = (await api.post("/assets/", { name: "Pending", author: owner.address })).value;
    bearer = await issuer.token();
    await connect(api, bearer, other);
    rows = await everything();
  });
  after(async () => {
    await api.stop();
    await issuer.stop();
  });
  afterEach("nothing was stored", async () => expect(await everything()).to.equal(rows));

  /** All that the service knows, so that a test sees any change of it. */
  async function everything(): Promise<string> {
    const tables = [
      "requests",
      "request_targets",
      "transactions",
      "reported_hashes",
      "history",
      "wallets",
      "api_keys",
    ];
    const contents = await Promise.all(
      tables.map((table) =>
        api.pool.query(`select coalesce(json_agg(t), '[]') as rows from service.${table} t`),
      ),
    );
    return JSON.stringify(contents.map(({ rows }) => rows[0].rows));
  }

  const good = () => ({ name: "Lease", author: owner.address as string });
  const create = (fields: object) => api.post("/assets/", { ...good(), ...fields });
  const sendBody = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    api.call("POST", "/assets/", { headers: { "Content-Type": "application/json", ...headers }, raw: body });

  async function expectFields(answer: Promise<Answer>, ...fields: string[]): Promise<void> {
    const given = await answer;
    expectError(given, 400, "INVALID_REQUEST");
    expect(fieldsOf(given)).to.deep.equal(fields);
  }

  it("credentials that are missing or wrong: 401", async () => {
    expectError(await api.post("/assets/", good(), { key: null }), 401, "API_KEY_MISSING");
    expectError(await api.post("/assets/", good(), { key: "wrong" }), 401, "API_KEY_INVALID");
    expectError(await api.post("/assets/", good(), { bearer: "bad" }), 401, "IDENTITY_TOKEN_INVALID");
    expectError(await api.call("POST", "/wallets/", { key: null }), 401, "IDENTITY_TOKEN_MISSING");
    expectError(
      await api.call("POST", "/wallets/", { key: null, bearer: "bad" }),
      401,
      "IDENTITY_TOKEN_INVALID",
    );
  });

  it("an author that is no address: 400 naming author", async () => {
    for (const author of [
      undefined,
      "",
      "owner",
      "0x12",
      owner.address.slice(0, -2),
      `${owner.address}00`,
      `0xg${owner.address.slice(3)}`,
      "0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266",
      `0x${"0".repeat(40)}`,
      ` ${owner.address}`,
      [owner.address],
      5,
      null,
    ]) {
      await expectFields(create({ author }), "author");
    }
  });

  it("a name that is missing, empty, blank, too long or no text: 400 naming name", async () => {
    for (const name of [
      undefined,
      "",
      " ",
      "\t\n\u2003",
      "x".repeat(257),
      "x".repeat(10_001),
      5,
      true,
      null,
      {},
      [],
    ]) {
      await expectFields(create({ name }), "name");
    }
  });

  it("says in plain words what is wrong", async () => {
    const messageOf = async (fields: object) => (await create(fields)).error?.message;
    expect(await messageOf({ name: undefined })).to.equal("name is missing.");
    expect(await messageOf({ name: 5 })).to.equal("name must be a text, not a number.");
    expect(await messageOf({ name: null })).to.equal("name must be a text, not null.");
    expect(await messageOf({ name: [] })).to.equal("name must be a text, not a list.");
    expect(await messageOf({ author: "0x12" })).to.equal("author must be an address: 0x and 40 hex digits.");
    expect(await messageOf({ name: "", author: 5 })).to.equal(
      "2 fields are not right: name must not be empty or white space alone; author must be an address, not a number.",
    );
  });

  it("other texts that are too long or no texts: 400 naming each", async () => {
    await expectFields(
      create({ fileName: "x".repeat(257), fileSize: "12a", method: 5, hash: null, uri: "x".repeat(2_049) }),
      "fileName",
      "fileSize",
      "method",
      "hash",
      "uri",
    );
    for (const fileSize of ["-1", "1.5", "1e3", " 1", "0x1", "1".repeat(21), 12]) {
      await expectFields(create({ fileSize }), "fileSize");
    }
    await expectFields(create({ data: "x".repeat(65_537) }), "data");
  });

  it("NUL and lone surrogates: 400 naming each field", async () => {
    for (const text of ["a\u0000b", "\ud800", "a\udc00\ud800"]) {
      await expectFields(create({ name: text, data: text, uri: text }), "name", "data", "uri");
    }
  });

  it("unknown fields: 400 naming them, and no pollution", async () => {
    await expectFields(create({ nmae: "x", state: "Confirmed" }), "nmae", "state");
    const keys = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    const body = `{"name":"a","author":"${owner.address}",${keys.map((key) => `"${key}":{"polluted":1}`).join()}}`;
    const answer = await api.post("/assets/", body);
    expectError(answer, 400, "INVALID_REQUEST");
    expect(fieldsOf(answer)).to.have.members(keys);
    expect(({} as { polluted?: number }).polluted).to.equal(undefined);
  });

  it("a body that is no JSON object in UTF-8: 400", async () => {
    const utf8 = (text: string) => new TextEncoder().encode(text);
    for (const body of [
      '{"name":',
      '"str"',
      "null",
      "5",
      "[]",
      "true",
      "{}x",
      "{'name':1}",
      "NaN",
      "\ufeff{}",
      utf8("\ufeff{}"),
      new Uint8Array([0x7b, 0xff, 0x7d]),
      new Uint8Array([...utf8('{"name":"'), 0xc3, 0x28, ...utf8('"}')]),
      new Uint8Array([...utf8('{"name":"'), 0xed, 0xa0, 0x80, ...utf8('"}')]),
      new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
    ]) {
      expectError(await sendBody(body), 400, "MALFORMED_JSON");
    }
    expectError(await api.call("POST", "/assets/"), 400, "MALFORMED_JSON");
    expectError(await sendBody(""), 400, "MALFORMED_JSON");
  });

  it("a body over the limit, also when it is only large unpacked: 413", async () => {
    expectError(await sendBody(`{"name":"${"x".repeat(256 * 1024)}"}`), 413, "BODY_TOO_LARGE");
    const bomb = Uint8Array.from(gzipSync(Buffer.alloc(50 * 1024 * 1024, " ")));
    const before = process.memoryUsage().rss;
    expectError(await sendBody(bomb, { "Content-Encoding": "gzip" }), 413, "BODY_TOO_LARGE");
    expect(process.memoryUsage().rss - before).to.be.lessThan(50 * 1024 * 1024);
  });

  it("a bad compression: 400, an unknown one: 415; a good one is read", async () => {
    expectError(await sendBody("{}", { "Content-Encoding": "gzip" }), 400, "MALFORMED_JSON");
    expectError(await sendBody("{}", { "Content-Encoding": "rot13" }), 415, "UNSUPPORTED_MEDIA_TYPE");
    const packed = Uint8Array.from(gzipSync("{}"));
    await expectFields(sendBody(packed, { "Content-Encoding": "gzip" }), "name", "author");
  });

  it("no or another content type or charset: 415", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json5",
      "application/json; charset=utf-16",
      "application/json; charset=latin1",
      "application/json; charset=nonsense",
      "",
    ]) {
      expectError(await sendBody("{}", { "Content-Type": type }), 415, "UNSUPPORTED_MEDIA_TYPE");
    }
    for (const type of [
      "application/json",
      "Application/JSON; Charset=UTF-8",
      'application/json;charset="utf-8"',
      "application/vnd.api+json",
    ]) {
      await expectFields(sendBody("{}", { "Content-Type": type }), "name", "author");
    }
  });

  it("an unknown asset, transaction, wallet or path: 404; a wrong method: 405 with Allow", async () => {
    const uuid = "00000000-0000-4000-8000-000000000000";
    expectError(await api.get(`/assets/0x${"0".repeat(64)}`), 404, "ASSET_NOT_FOUND");
    expectError(await api.get(`/transactions/${uuid}`), 404, "TRANSACTION_NOT_FOUND");
    expectError(await api.remove(`/wallets/${uuid}`, { key: null, bearer }), 404, "WALLET_NOT_FOUND");
    expectError(await api.get("/nothing"), 404, "ROUTE_NOT_FOUND");
    const answer = await api.call("PUT", "/assets/");
    expectError(answer, 405, "METHOD_NOT_ALLOWED");
    expect(answer.headers.get("allow")).to.equal("GET, HEAD, POST");
  });

  it("a bearer whose wallets do not hold the author, or the parent's author: 403", async () => {
    expectError(await api.post("/assets/", good(), { bearer }), 403, "AUTHOR_NOT_YOURS");
    const path = `/assets/${parent}/links`;
    expectError(await api.post(path, { targetAssetIds: [child] }, { bearer }), 403, "AUTHOR_NOT_YOURS");
    expectError(await api.patch(path, { targetAssetIds: [linked] }, { bearer }), 403, "AUTHOR_NOT_YOURS");
  });

  it("links that cannot be: 400, 422 or 409, naming the ids", async () => {
    const unknown = `0x${"ab".repeat(32)}`;
    const cases: [string, AssetId | undefined, unknown[], number, ErrorCode][] = [
      ["POST", parent, [parent], 400, "INVALID_REQUEST"],
      ["POST", parent, [], 400, "INVALID_REQUEST"],
      ["POST", parent, [child, child], 400, "INVALID_REQUEST"],
      ["POST", parent, new Array(101).fill(child), 400, "INVALID_REQUEST"],
      ["POST", parent, [child, unknown], 422, "TARGET_NOT_FOUND"],
      ["POST", pending.id, [child], 409, "ASSET_NOT_ON_CHAIN"],
      ["POST", parent, [pending.id], 409, "ASSET_NOT_ON_CHAIN"],
      ["POST", parent, [linked], 409, "ALREADY_LINKED"],
      ["PATCH", parent, [child], 409, "NOT_LINKED"],
    ];
    for (const [method, id, targetAssetIds, status, code] of cases) {
      const answer = await api.call(method, `/assets/${id}/links`, { body: { targetAssetIds } });
      const { message } = expectError(answer, status, code);
      if (status !== 400) expect(message).to.match(/0x[0-9a-f]{64}/);
    }
  });

  it("signed transactions that are not the generated one: each its own code, none stored", async () => {
    const { rows } = await api.pool.query("select calldata from service.requests where id = $1", [
      pending.transactionId,
    ]);
    const given = {
      to: api.registry.address,
      data: `0x${rows[0].calldata.toString("hex")}` as const,
      nonce: 0,
      gas: "0x30d40",
      chainId: 31_337,
      maxFeePerGas: "0x77359400",
      maxPriorityFeePerGas: "0x3b9aca00",
    } as const;
    const legacy = { type: "legacy", gasPrice: 1n, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined };
    const raw = await signAs(owner, given);
    const cases: [string, number, ErrorCode][] = [
      [await signAs(owner, given, { chainId: 1 }), 422, "WRONG_CHAIN"],
      [
        await signAs(owner, given, { ...legacy, chainId: undefined } as object),
        422,
        "REPLAYABLE_TRANSACTION",
      ],
      [await signAs(owner, given, { data: "0x12345678" }), 422, "TRANSACTION_MISMATCH"],
      [await signAs(owner, given, { to: other.address }), 422, "TRANSACTION_MISMATCH"],
      [await signAs(other, given), 422, "SIGNER_MISMATCH"],
      [raw.slice(0, -4), 400, "SIGNED_TRANSACTION_MALFORMED"],
      [`0x03${raw.slice(4)}`, 422, "UNSUPPORTED_TRANSACTION_TYPE"],
    ];
    for (const [signedTransaction, status, code] of cases) {
      const answer = await api.post(`/transactions/${pending.transactionId}/submit`, { signedTransaction });
      expectError(answer, status, code);
    }
  });
});
