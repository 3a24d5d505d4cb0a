import { expect } from "chai";
import pg from "pg";
import { databaseUrlProblem } from "../../../domain/url/database-url.ts";

describe("databaseUrlProblem", () => {
  for (const [url, understood] of [
    ["postgres://db.example/registry", { host: "db.example", port: 5432, database: "registry" }],
    [
      "POSTGRESQL://u:p@db.example:5433/registry",
      { host: "db.example", port: 5433, user: "u", password: "p" },
    ],
    ["postgres://u:p%23%2F%3F%40@db/registry", { host: "db", password: "p#/?@" }],
    ["postgres://u:p@ss:w[o]rd @db/registry", { host: "db", password: "p@ss:w[o]rd " }],
    ["postgres://u:100%@db/registry", { host: "db", password: "100%" }],
    ["postgres://u:p@[::1]:5433/registry", { host: "::1", port: 5433 }],
    [
      "postgresql:///registry?host=/var/run/postgresql",
      { host: "/var/run/postgresql", database: "registry" },
    ],
    ["postgresql://u@/registry?host=/tmp&port=5433", { host: "/tmp", port: 5433, user: "u" }],
    ["postgres://%2Fvar%2Frun%2Fpostgresql/registry", { host: "/var/run/postgresql", database: "registry" }],
    ["postgres:///registry", { host: "localhost", database: "registry" }],
    ["postgres://", { host: "localhost", port: 5432 }],
    ["postgres://db/registry?user=u&password=p@ss", { host: "db" }],
    ["postgres://db/registry?prepared_statements=off", { host: "db", database: "registry" }],
    ["postgres://db/registry?options=-c%20x.y%3D1&sslmode=disable", { host: "db", database: "registry" }],
  ] as const) {
    it(`takes ${url}, as the driver understands it`, () => {
      expect(databaseUrlProblem(url)).to.equal(undefined);
      const { host, port, database, user, password } = new pg.Client({ connectionString: url });
      expect({ host, port, database, user, password }).to.include(understood);
    });
  }

  for (const [url, words] of [
    ["mysql://db", "must be a URL that starts with postgres:// or postgresql://"],
    ["postgres:db", "must be a URL that starts with"],
    ["/var/run/postgresql registry", "must be a URL that starts with"],
    ["", "must be a URL that starts with"],
    [
      "postgres://u:pass#word@db/registry",
      "has a # in it: # in a user name or password must be percent-encoded, as %23",
    ],
    ["postgres://u:12#3@db/registry", "has a # in it"],
    ["postgres://db/registry#x", "has a # in it"],
    ["postgres://u:pass/word@db/registry", "has an @ behind its host: / in a user name"],
    ["postgres://u:12/3@db/registry", "as %2F"],
    ["postgres://u:pass?word@db/registry", "as %3F"],
    ["postgres://u:p@ss?w@db/registry", "has an @ behind its host"],
    ["postgres://one,two/registry", "names several hosts"],
    ["postgresql://u:p@one:5432,two:5432/registry", "names several hosts"],
    ["postgres:///registry?host=one,two", "names several hosts"],
    ["postgres://db:port/registry", "has a host or port that cannot be read"],
    ["postgres://db:65536/registry", "has a host or port that cannot be read"],
    ["postgres://db/registry?port=abc", "has a host or port that cannot be read"],
    ["postgres://db/registry?prepared_statements=no", "prepared_statements that must be on or off"],
    ["postgres://[::1/registry", "has a host or port that cannot be read"],
    ["postgres://d b/registry", "has a host or port that cannot be read"],
  ] as const) {
    it(`says what is wrong with ${url}, and repeats nothing of it`, () => {
      const problem = databaseUrlProblem(url) ?? "";
      expect(problem).to.contain(words);
      for (const secret of ["word", "12", "ss?w"])
        expect(problem.replaceAll("password", "")).to.not.contain(secret);
    });
  }
});
