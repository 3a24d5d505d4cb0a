import { expect } from "chai";
import { expectError, fieldsOf, startApi, type TestApi } from "../../support/api.ts";

const url = "https://receiver.example/events";

describe("bad input about webhooks", () => {
  let api: TestApi;
  let path: string;
  let rows: string;
  before(async () => {
    api = await startApi();
    path = `/webhooks/${(await api.post("/webhooks/", { url })).value.id}`;
    rows = await stored();
  });
  after(() => api.stop());
  afterEach("nothing was changed", async () => expect(await stored()).to.equal(rows));

  const stored = async () =>
    JSON.stringify((await api.pool.query("select * from service.webhooks where state <> 'removed'")).rows);

  /** Expects both creation and change to refuse a field. @returns the message of the first detail */
  async function refused(field: string, value: unknown, place = field): Promise<string> {
    const fields = { url, [field]: value };
    for (const answer of [await api.post("/webhooks/", fields), await api.patch(path, fields)]) {
      expectError(answer, 400, "INVALID_REQUEST");
      expect(fieldsOf(answer)).to.deep.equal([place]);
    }
    return (await api.patch(path, fields)).error?.message ?? "";
  }

  for (const [what, value, problem] of [
    ["no text", 5, "must be a URL, not a number"],
    ["empty", "", "must be a URL that starts with https://"],
    ["a path", "/events", "must be a URL that starts with https://"],
    ["of another scheme", "ftp://receiver.example/", "must be a URL that starts with https://"],
    ["a script", "javascript:alert(1)", "must be a URL that starts with https://"],
    ["without slashes", "https:receiver.example", "must be a URL that starts with https://"],
    ["without a host", "https://", "must be a URL that starts with https://"],
    ["of a host that is none", "https://a b/", "must be a URL that starts with https://"],
    ["of a port that is none", "https://receiver.example:99999/", "must be a URL that starts with https://"],
    ["broken by a line", "https://receiver\n.example/", "must be a URL that starts with https://"],
    ["with a NUL", "https://receiver.example/\0", "must be a URL that starts with https://"],
    ["behind a space", " https://receiver.example/", "must be a URL that starts with https://"],
    ["with a user", "https://me@receiver.example/", "must hold no user name and no password"],
    ["with a password", "https://me:secret@receiver.example/", "must hold no user name and no password"],
    ["with a fragment", "https://receiver.example/#top", "must have no # part"],
    ["with an empty fragment", "https://receiver.example/#", "must have no # part"],
    ["too long", `${url}/${"x".repeat(2_048)}`, "must have at most 2048 characters, not"],
    ["too long in ASCII", `${url}/${"ä".repeat(400)}`, "must have at most 2048 characters, not 24"],
  ] as const) {
    it(`a URL that is ${what} is refused`, async () => {
      expect(await refused("url", value)).to.include(`url ${problem}`);
    });
  }

  for (const [receiver, problem] of [
    ["http://receiver.example/", "must start with https://: http is for networks that the operator opened"],
    ["https://127.0.0.1/", "is refused: No request goes to 127.0.0.1: it is not an address of the public"],
    ["https://2130706433/", "is refused: No request goes to 127.0.0.1"],
    ["https://0x7f.1/", "is refused: No request goes to 127.0.0.1"],
    ["https://0177.0.0.1/", "is refused: No request goes to 127.0.0.1"],
    ["https://0/", "is refused: No request goes to 0.0.0.0"],
    ["https://10.1.2.3/", "is refused: No request goes to 10.1.2.3"],
    ["https://172.31.0.1/", "is refused: No request goes to 172.31.0.1"],
    ["https://192.168.0.1:8443/", "is refused: No request goes to 192.168.0.1"],
    ["https://169.254.169.254/latest/meta-data/", "is refused: No request goes to 169.254.169.254"],
    ["https://100.64.0.1/", "is refused: No request goes to 100.64.0.1"],
    ["https://[::1]/", "is refused: No request goes to ::1"],
    ["https://[::]/", "is refused: No request goes to ::"],
    ["https://[::ffff:10.0.0.1]/", "is refused: No request goes to ::ffff:a00:1"],
    ["https://[64:ff9b::7f00:1]/", "is refused: No request goes to 64:ff9b::7f00:1"],
    ["https://[fd00::1]/", "is refused: No request goes to fd00::1"],
    ["https://[fe80::1]/", "is refused: No request goes to fe80::1"],
    ["https://localhost/", "is refused: No request goes to localhost"],
    ["https://LocalHost./", "is refused: No request goes to localhost."],
    ["https://api.localhost:8443/", "is refused: No request goes to api.localhost"],
    ["https://receiver.example:25/", "is refused: No request goes to port 25"],
  ] as const) {
    it(`the URL ${receiver} is refused`, async () => {
      expect(await refused("url", receiver)).to.include(`url ${problem}`);
    });
  }

  it("a URL that is missing is refused, and that of the longest length taken", async () => {
    const missing = await api.post("/webhooks/", {});
    expectError(missing, 400, "INVALID_REQUEST");
    expect(missing.error?.message).to.equal("url is missing.");
    const longest = `https://receiver.example/${"x".repeat(2_048 - 25)}`;
    const { value } = await api.post("/webhooks/", { url: longest });
    expect(value.url).to.equal(longest);
    await api.remove(`/webhooks/${value.id}`);
  });

  for (const [what, value, place, problem] of [
    ["no list", "request", "kinds", "must be a list of kinds, not a text"],
    ["empty", [], "kinds", "must name at least one kind"],
    ["of numbers", [5], "kinds.0", "must be a text, not a number"],
    ["too many", Array(101).fill("request"), "kinds", "must name at most 100 kinds"],
    [
      "unknown",
      ["request", "surprise"],
      "kinds.1",
      "must be one of request, asset, link, wallet, request.Received",
    ],
    ["in another case", ["request.confirmed"], "kinds.0", "must be one of request"],
    ["of wallets", ["wallet"], "kinds.0", "is told to the user of the wallet alone"],
    [
      "one of wallets",
      ["wallet.removed"],
      "kinds.0",
      "is told to the user of the wallet alone: read it by GET /events/ with an identity token",
    ],
    ["of a name that objects have", ["constructor"], "kinds.0", "must be one of request"],
  ] as const) {
    it(`kinds that are ${what} are refused`, async () => {
      expect(await refused("kinds", value, place)).to.include(`${place} ${problem}`);
    });
  }

  for (const [field, value, problem] of [
    ["description", "x".repeat(257), "must have at most 256 characters, not 257"],
    ["description", "a\0b", "must not contain the NUL character"],
    ["description", "\ud800", "must be valid Unicode"],
    ["description", 5, "must be a text, not a number"],
    ["assetId", "0x12", "must be 0x and 64 hex digits"],
    ["secret", "whsec_mine", "is unknown"],
    ["surprise", 1, "is unknown"],
  ] as const) {
    it(`${field} that ${problem} is refused`, async () => {
      expect(await refused(field, value)).to.include(`${field} ${problem}`);
    });
  }

  for (const state of ["ended", "Active", "", 1, null]) {
    it(`the state ${JSON.stringify(state)} is refused`, async () => {
      const answer = await api.patch(path, { state });
      expectError(answer, 400, "INVALID_REQUEST");
      expect(answer.error?.message).to.equal("state must be active or paused.");
    });
  }

  it("an id that is none is that of no webhook", async () => {
    for (const id of ["1", "x".repeat(300), "00000000-0000-4000-8000-000000000000"]) {
      expectError(await api.get(`/webhooks/${id}`), 404, "WEBHOOK_NOT_FOUND");
      expectError(await api.patch(`/webhooks/${id}`, {}), 404, "WEBHOOK_NOT_FOUND");
    }
  });
});
