import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { openPool, type Pool } from "../../../db/core/pool.ts";
import { holdersOfKeys, keyDigest } from "../../../db/service/api-keys.ts";
import { createDatabase, createEmptyDatabase, type TestDatabase } from "../../support/database/postgres.ts";

const KEYS = fileURLToPath(new URL("../../../scripts/keys.ts", import.meta.url));

describe("npm run keys", () => {
  let database: TestDatabase;
  let pool: Pool;

  before(async () => {
    database = await createDatabase();
    pool = openPool(database.url, { application: "test" });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  async function runWith(environment: Record<string, string>, ...words: string[]) {
    const { PATH } = process.env;
    const child = spawn(process.execPath, [KEYS, ...words], { env: { PATH, ...environment } });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code: child.exitCode, out, err };
  }
  const run = (...words: string[]) => runWith({ DATABASE_URL: database.url }, ...words);
  const tenantOf = async (key: string) => (await holdersOfKeys(pool, [keyDigest(key)]))[0]?.tenant;
  const shown = (out: string) => ({
    id: /^id +(\S+)$/m.exec(out)?.[1] ?? "",
    key: /^key +(\S+)$/m.exec(out)?.[1] ?? "",
  });

  describe("from making a key to its end", () => {
    it("shows the key once, lists it without, and revokes it", async () => {
      expect(await run("list")).to.deep.equal({
        code: 0,
        out: "There are no keys in the database.\n",
        err: "",
      });

      const made = await run("create", "acme", "the laptop");
      expect(made).to.include({ code: 0, err: "" });
      const { id = "", key = "" } =
        /^id {6}(?<id>\S+)\ntenant {2}acme\nkey {5}(?<key>\S+)\n/.exec(made.out)?.groups ?? {};
      expect(key).to.match(/^[A-Za-z0-9_-]{43}$/);
      expect(await tenantOf(key)).to.equal("acme");
      expect(await tenantOf(`${key}x`)).to.equal(undefined);

      const listed = await run("list");
      expect(listed.out).to.match(
        new RegExp(`^${id}  acme  the laptop  read,write  created \\S+Z  never used  valid\n$`),
      );
      expect(listed.out).to.not.include(key);

      expect(await run("revoke", id)).to.deep.equal({ code: 0, out: `Revoked ${id}.\n`, err: "" });
      expect(await tenantOf(key)).to.equal(undefined);
      expect((await run("list")).out).to.match(/ revoked \S+Z\n$/);

      const again = await run("revoke", id);
      expect(again).to.deep.equal({ code: 1, out: "", err: `There is no valid key with the id ${id}.\n` });
    });

    it("makes another key each time, with or without a name", async () => {
      const outs = [await run("create", "globex"), await run("create", "globex")].map(({ out }) => out);
      const keys = outs.map((out) => /^key +(\S+)$/m.exec(out)?.[1] ?? "");
      expect(new Set(keys).size).to.equal(2);
      for (const key of keys) expect(await tenantOf(key)).to.equal("globex");
      expect((await run("list")).out).to.include("  globex  -  read,write  created ");
    });
  });

  describe("scopes, rotation and the log", () => {
    it("makes a key that may only read, and says so", async () => {
      const { id, key } = shown((await run("create", "acme", "dashboard", "--scope", "read")).out);
      expect((await holdersOfKeys(pool, [keyDigest(key)]))[0]).to.deep.equal({
        id,
        tenant: "acme",
        scopes: ["read"],
      });
      expect((await run("list")).out).to.include(`${id}  acme  dashboard  read  created `);
    });

    it("makes a key of several scopes, named in any order", async () => {
      const { id } = shown((await run("create", "acme", "sync", "--scope", "webhooks,read")).out);
      expect((await run("list")).out).to.include(`${id}  acme  sync  read,webhooks  created `);
    });

    it("rotates a key: another secret for the same id, and the old one ends at once", async () => {
      const { id, key: old } = shown((await run("create", "acme")).out);
      const rotated = await run("rotate", id);
      expect(rotated).to.include({ code: 0, err: "" });
      expect(rotated.out).to.include("The old one has ended.");
      expect(shown(rotated.out).id).to.equal(id);
      expect(shown(rotated.out).key).to.match(/^[A-Za-z0-9_-]{43}$/);
      expect(await tenantOf(shown(rotated.out).key)).to.equal("acme");
      expect(await tenantOf(old)).to.equal(undefined);
    });

    it("lets the old secret run out with --overlap, and ends both by one revocation", async () => {
      const { id, key: old } = shown((await run("create", "acme")).out);
      const { out } = await run("rotate", id, "--overlap", "24h");
      const until = Date.parse(/works until (\S+Z)\.$/m.exec(out)?.[1] ?? "");
      expect(until - Date.now()).to.be.within(86_000_000, 86_400_000);
      for (const key of [old, shown(out).key]) expect(await tenantOf(key)).to.equal("acme");
      expect((await run("list")).out).to.match(new RegExp(`^${id} .* old secret until \\S+Z$`, "m"));
      await run("revoke", id);
      for (const key of [old, shown(out).key]) expect(await tenantOf(key)).to.equal(undefined);
      expect((await run("rotate", id)).err).to.equal(`There is no valid key with the id ${id}.\n`);
    });

    it("says who changed a key when, and never the key", async () => {
      const { id, key } = shown((await run("create", "acme", "laptop")).out);
      const next = shown((await run("rotate", id)).out).key;
      await run("revoke", id);
      const { out } = await run("log", id);
      const by = `by ${userInfo().username}@${hostname()}`;
      const lines = out.trimEnd().split("\n");
      expect(lines.map((line) => line.split("  ").slice(1, 4))).to.deep.equal(
        ["created", "rotated", "revoked"].map((change) => [id, change, by]),
      );
      for (const line of lines) expect(Date.now() - Date.parse(line.slice(0, 24))).to.be.within(0, 120_000);
      for (const secret of [key, next]) expect(out).to.not.include(secret);
      expect((await run("log")).out).to.include(out);
    });
  });

  describe("given words that it does not understand", () => {
    for (const words of [
      [],
      ["make", "acme"],
      ["create"],
      ["create", "acme", "laptop", "more"],
      ["list", "acme"],
      ["revoke"],
      ["revoke", "a", "b"],
      ["rotate"],
      ["rotate", "a", "b"],
      ["log", "a", "b"],
      ["list", "--scope", "read"],
      ["revoke", "a", "--overlap", "1h"],
      ["constructor"],
    ]) {
      it(`answers [${words.join(" ")}] with the usage and exit code 1`, async () => {
        const { code, out, err } = await run(...words);
        expect(code).to.equal(1);
        expect(out).to.equal("");
        expect(err).to.match(/^Usage: npm run keys -- create <tenant>/);
        expect(err).to.not.match(/^ +at /m);
      });
    }

    for (const [what, words, sentence] of [
      ["a tenant's name with a space", ["create", "ac me"], "A tenant's name has 1 to 64 letters"],
      ["an empty tenant's name", ["create", ""], "A tenant's name has 1 to 64 letters"],
      ["a scope that is none", ["create", "acme", "--scope", "admin"], "Scopes are read, write and webhooks"],
      [
        "a scope named twice",
        ["create", "acme", "--scope", "read,read"],
        "Scopes are read, write and webhooks",
      ],
      ["no scope", ["create", "acme", "--scope", ""], "Scopes are read, write and webhooks"],
      ["an overlap that is no time", ["rotate", "a", "--overlap", "soon"], "An overlap is a time like 30m"],
      ["an overlap of 91 days", ["rotate", "a", "--overlap", "91d"], "at most 90d"],
      ["a rotation of what is no id", ["rotate", "a"], "There is no valid key with the id a."],
      ["the log of what is no id", ["log", "a"], "a is no id of a key."],
      ["an id that is none", ["revoke", "'; drop table"], "There is no valid key with the id '; drop table."],
      [
        "an unknown id",
        ["revoke", "00000000-0000-4000-8000-000000000000"],
        "There is no valid key with the id 00000000-0000-4000-8000-000000000000.",
      ],
      ["an unknown option", ["list", "--all"], "Unknown option '--all'"],
    ] as const) {
      it(`answers ${what} with one sentence and exit code 1`, async () => {
        const { code, out, err } = await run(...words);
        expect(code).to.equal(1);
        expect(out).to.equal("");
        expect(err)
          .to.include(sentence)
          .and.not.match(/^ +at /m);
      });
    }
  });

  describe("given a database that does not serve", () => {
    it("says that DATABASE_URL is missing", async () => {
      const { code, err } = await runWith({ DATA_DIR: "/nowhere" }, "list");
      expect(code).to.equal(1);
      expect(err)
        .to.include("DATABASE_URL is missing")
        .and.not.match(/^ +at /m);
    });

    it("says that nothing listens", async () => {
      const { code, err } = await runWith({ DATABASE_URL: "postgres://u:secret@127.0.0.1:1/d" }, "list");
      expect(code).to.equal(1);
      expect(err)
        .to.equal("Nothing answers at 127.0.0.1:1: check DATABASE_URL.\n")
        .and.not.include("secret")
        .and.not.match(/^ +at /m);
    });

    it("says in production what it needs, and nothing else", async () => {
      const { code, err } = await runWith({ NODE_ENV: "production", DATABASE_URL: database.url }, "list");
      expect({ code, err }).to.deep.equal({ code: 0, err: "" });
    });

    it("says that its tables are missing, and how to make them", async () => {
      const empty = await createEmptyDatabase();
      try {
        const { code, out, err } = await runWith({ DATABASE_URL: empty.url }, "list");
        expect(code).to.equal(1);
        expect(out).to.equal("");
        expect(err)
          .to.include("npm run migrate")
          .and.not.match(/^ +at /m);
      } finally {
        await empty.drop();
      }
    });
  });

  describe("given a service that `npm start` runs", () => {
    let folder: string;
    const publish = (databaseUrl: string) =>
      writeFileSync(join(folder, "ready.json"), JSON.stringify({ url: "http://127.0.0.1:1", databaseUrl }));
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "keys-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it("makes keys in its database", async () => {
      publish(database.url);
      const { code, out } = await runWith({ DATA_DIR: folder }, "create", "initech");
      expect(code).to.equal(0);
      expect(await tenantOf(/^key +(\S+)$/m.exec(out)?.[1] ?? "")).to.equal("initech");
    });

    it("prefers the database that DATABASE_URL names", async () => {
      publish("postgres://127.0.0.1:1/d");
      expect(await runWith({ DATA_DIR: folder, DATABASE_URL: database.url }, "list")).to.include({ code: 0 });
    });

    it("says that it has ended", async () => {
      publish("postgres://u:secret@127.0.0.1:1/d");
      const { err } = await runWith({ DATA_DIR: folder }, "list");
      expect(err).to.equal("Nothing answers at 127.0.0.1:1: start `npm start` again, or set DATABASE_URL.\n");
    });
  });

  it("explains itself with --help", async () => {
    const { code, out, err } = await runWith({}, "--help");
    expect(code).to.equal(0);
    expect(err).to.equal("");
    expect(out).to.include("create <tenant>").and.include("list").and.include("revoke <id>");
  });
});
