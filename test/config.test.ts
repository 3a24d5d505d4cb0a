import { expect } from "chai";
import fc from "fast-check";
import { EXAMPLE_API_KEY } from "../config/production.ts";
import { type Config, ConfigError, publicUrl, readConfig, settings } from "../config.ts";

type Environment = Record<string, string | undefined>;

const KEY = "k".repeat(24);
const STRONG_KEY = "q7Vx2mZpR9sKc4WbYt1LhDf8Ga";
const PRIVATE_KEY = `0x${"1f".repeat(32)}`;
const REGISTRY = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

const production: Environment = {
  NODE_ENV: "production",
  OIDC_ISSUER: "https://id.example",
  DATABASE_URL: "postgres://db.example/registry",
  RPC_URL: "https://rpc.example",
};

/** The problems that an environment has, one a line. */
function problemsOf(
  environment: Environment,
  required: Parameters<typeof readConfig>[1] = [],
  options = {},
): string[] {
  try {
    readConfig(environment, required, options);
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
  return [];
}

describe("readConfig", () => {
  describe("given an empty environment", () => {
    const defaults = {
      PORT: 3000,
      HOST: "127.0.0.1",
      START_BLOCK: 0,
      CONFIRMATIONS: 5,
      OIDC_AUDIENCE: ["asset-registry"],
      OIDC_USER_CLAIM: ["sub"],
      RATE_LIMIT: 6_000,
      RATE_LIMIT_ADDRESS: 600,
      RATE_LIMIT_PUBLIC: 300,
      RATE_LIMIT_FAILURES: 30,
      MAX_OPEN_REQUESTS: 10_000,
      AUDIT_DAYS: 730,
      EVENT_DAYS: 90,
      MAX_STREAMS: 100,
      WEBHOOK_WORKERS: 32,
      KEEP_ALIVE_TIMEOUT: 65,
      LEASE_SECONDS: 15,
      INDEXER_HOST: "127.0.0.1",
      LOG_LEVEL: "info",
      REQUEST_TTL: 604_800,
      SIGNATURE_TTL: 1_800,
      POLL_INTERVAL: 1000,
      DATA_DIR: ".data",
      CHAIN_CURRENCY: "ETH",
      CHAIN_PORT: 8545,
      OIDC_PORT: 3001,
      RELAYER_DAILY_BUDGET: 100_000_000_000_000_000n,
      RELAYER_MAX_FEE: 500_000_000_000n,
      NODE_ENV: "development",
    };

    it("answers the defaults and nothing else", () => {
      expect(readConfig({})).to.deep.equal(defaults);
    });

    it("counts an empty or blank value as unset", () => {
      const blank = Object.fromEntries(
        Object.keys(settings).map((name, index) => [name, " ".repeat(index % 2)]),
      );
      expect(readConfig(blank)).to.deep.equal(defaults);
    });

    it("leaves alone what it does not know", () => {
      expect(readConfig({ HOME: "/", PORTS: "1" })).to.deep.equal(defaults);
    });
  });

  describe("given good values", () => {
    for (const [name, text, value] of [
      ["PORT", " 8080 ", 8080],
      ["HOST", "::1", "::1"],
      ["HOST", "localhost", "localhost"],
      ["RPC_URL", "http://a.example , https://b.example", ["http://a.example", "https://b.example"]],
      ["RPC_URL", "wss://a.example,https://b.example", ["https://b.example", "wss://a.example"]],
      ["REGISTRY_ADDRESS", REGISTRY.toLowerCase(), REGISTRY],
      ["START_BLOCK", String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
      ["CONFIRMATIONS", "finalized", "finalized"],
      ["CONFIRMATIONS", "64", 64],
      ["API_KEYS", `acme:${KEY}`, [{ tenant: "acme", key: KEY }]],
      [
        "API_KEYS",
        `a:${KEY}, b.c-d_e:${KEY}:x`,
        [
          { tenant: "a", key: KEY },
          { tenant: "b.c-d_e", key: `${KEY}:x` },
        ],
      ],
      ["DEPLOYER_KEY", PRIVATE_KEY, PRIVATE_KEY],
      ["LOG_LEVEL", "silent", "silent"],
      ["OIDC_CLIENT_ID", "3f0b6c1e-console", "3f0b6c1e-console"],
      ["CHAIN_NAME", "OP Mainnet (test)", "OP Mainnet (test)"],
      ["CHAIN_RPC_URL", "https://rpc.example/v1", "https://rpc.example/v1"],
      ["CHAIN_CURRENCY", "xDAI", "xDAI"],
      ["RATE_LIMIT", "0", 0],
      ["TRUST_PROXY", "2", 2],
      [
        "CORS_ORIGINS",
        "https://a.example, http://localhost:5173",
        ["https://a.example", "http://localhost:5173"],
      ],
      ["TRUST_PROXY", "10.0.0.0/8, 192.0.2.1,fd00::/8", ["10.0.0.0/8", "192.0.2.1", "fd00::/8"]],
    ] as const) {
      it(`reads ${name}=${text}`, () => {
        expect(readConfig({ [name]: text })[name]).to.deep.equal(value);
      });
    }
  });

  describe("given a bad value", () => {
    for (const [name, text, words] of [
      ["PORT", "0", "must be from 1 to 65535"],
      ["PORT", "65536", "must be from 1 to 65535"],
      ["PORT", "3000x", "must be a whole number"],
      ["PORT", "1e3", "must be a whole number"],
      ["PORT", "-1", "must be a whole number"],
      ["HOST", "registry.example", "must be an IP address or localhost"],
      ["DATABASE_URL", "mysql://db", "must be a URL that starts with postgres:// or postgresql://"],
      ["DATABASE_URL", "postgres:db", "must be a URL that starts with postgres:// or postgresql://"],
      ["DATABASE_URL", "postgres://u:secret#1@db/x", "has a # in it"],
      ["DATABASE_URL", "postgres://a:1,b:2/x", "names several hosts"],
      ["DATABASE_URL", "postgres://db/x?sslrootcert=/no/such.pem", "names a file in sslrootcert"],
      ["DATABASE_URL", "db.example", "must be a URL that starts with postgres:// or postgresql://"],
      ["RPC_URL", "ws://rpc.example", "must hold a URL that starts with http:// or https://"],
      [
        "RPC_URL",
        "https://a.example,",
        "must be a URL that starts with http:// or https:// or ws:// or wss://",
      ],
      ["RPC_URL", "ftp://a.example", "must be a URL that starts with http:// or https:// or ws:// or wss://"],
      ["REGISTRY_ADDRESS", "0x1234", "must be an address: 0x and 40 hex digits"],
      ["REGISTRY_ADDRESS", REGISTRY.replace("F", "f"), "has a wrong checksum: a letter may be mistyped"],
      ["REGISTRY_ADDRESS", `0x${"0".repeat(40)}`, "must not be the zero address"],
      ["START_BLOCK", "9007199254740992", "must be from 0 to 9007199254740991"],
      ["CONFIRMATIONS", "0", "must be from 1 to 10000"],
      ["CONFIRMATIONS", "safe", "must be a whole number from 1 to 10000, or finalized"],
      ["METRICS_TOKEN", KEY.slice(1), "24 to 256 ASCII characters"],
      ["METRICS_TOKEN", `${KEY} ${KEY}`, "without spaces"],
      ["API_KEYS", "a-key-without-a-tenant-in-front", "must be tenant:key pairs separated by commas"],
      ["API_KEYS", `acme:${KEY.slice(1)}`, "each key at least 24 characters"],
      ["API_KEYS", `acme:${KEY},`, "must be tenant:key pairs separated by commas"],
      ["API_KEYS", `ac me:${KEY}`, "must be tenant:key pairs separated by commas"],
      ["OIDC_ISSUER", "https://id.example,", "must be a URL that starts with http:// or https://"],
      ["OIDC_ISSUER", "https://id.example,https://id.example", "names an issuer twice"],
      ["OIDC_AUDIENCE", "a,b", "must name one audience, or one for each issuer of OIDC_ISSUER"],
      ["OIDC_AUDIENCE", "a,,b", "must not have an empty part"],
      ["OIDC_USER_CLAIM", "sub,oid", "must name one claim, or one for each issuer of OIDC_ISSUER"],
      ["OIDC_USER_CLAIM", "sub,", "must be the name of a claim"],
      ["OIDC_USER_CLAIM", "user id", "must be the name of a claim"],
      ["OIDC_AUTHORIZED_PARTIES", "web,,app", "must be client ids separated by commas"],
      ["OIDC_ISSUER", "id.example", "must be a URL that starts with http:// or https://"],
      ...[
        "*",
        "null",
        "a.example",
        "https://*.example",
        "https://a.example/",
        "https://a.example/page",
        "https://A.example",
        "https://a.example:443",
        "https://user@a.example",
        "ftp://a.example",
        "https://a.example,",
      ].map(
        (text) =>
          ["CORS_ORIGINS", text, "must be origins separated by commas, each as a browser writes it"] as const,
      ),
      ["KEEP_ALIVE_TIMEOUT", "0", "must be from 1 to 3600"],
      ["KEEP_ALIVE_TIMEOUT", "65s", "must be a whole number"],
      ["RATE_LIMIT", "100/s", "must be a whole number"],
      ["RATE_LIMIT_ADDRESS", "-1", "must be a whole number"],
      ...[
        "0",
        "11",
        "true",
        "*",
        "10.0.0.0/33",
        "10.0.0.0/0",
        "::/0",
        "::1/129",
        "10.0.0.1,",
        "proxy.example",
      ].map(
        (text) =>
          [
            "TRUST_PROXY",
            text,
            "must be the number of proxies in front (1 to 10), or their addresses",
          ] as const,
      ),
      ["OIDC_CLIENT_ID", "a client", "must be the id of a client, without spaces"],
      ["CHAIN_NAME", "Main\u202enet", "must be a name of at most 64 characters"],
      ["CHAIN_NAME", "n".repeat(65), "must be a name of at most 64 characters"],
      ["CHAIN_RPC_URL", "wss://rpc.example", "must be a URL that starts with http:// or https://"],
      [
        "CHAIN_RPC_URL",
        "https://me:secret@rpc.example",
        "must hold no user name and no password: everybody is told it",
      ],
      ["CHAIN_EXPLORER_URL", "javascript:alert(1)", "must be a URL that starts with http:// or https://"],
      ["CHAIN_CURRENCY", "ETHEREUM", "must be 1 to 6 letters and digits, such as ETH"],
      ["PUBLIC_URL", "ftp://registry.example", "must be a URL that starts with http:// or https://"],
      ["LOG_LEVEL", "loud", "must be one of fatal, error, warn, info, debug, silent"],
      ["REQUEST_TTL", "9", "must be from 10 to 31536000"],
      ["POLL_INTERVAL", "49", "must be from 50 to 600000"],
      ["CHAIN_PORT", "none", "must be a whole number"],
      ["OIDC_PORT", "70000", "must be from 1 to 65535"],
      ["DEPLOYER_KEY", "1f".repeat(32), "must be a private key: 0x and 64 hex digits"],
      ["AUTHOR_KEY", `${PRIVATE_KEY}00`, "must be a private key: 0x and 64 hex digits"],
      ["NODE_ENV", "prod", "must be one of production, development, test"],
    ] as const) {
      it(`names ${name} for ${name}=${text}`, () => {
        const problems = problemsOf({ [name]: text });
        expect(problems).to.have.lengthOf(1);
        expect(problems[0]?.startsWith(`${name} `), problems[0]).to.equal(true);
        expect(problems[0]).to.include(words);
      });
    }

    it("wants the console's client among the parties whose tokens are taken", () => {
      const environment = { OIDC_CLIENT_ID: "console", OIDC_AUTHORIZED_PARTIES: "app,web" };
      expect(problemsOf(environment)).to.deep.equal([
        "OIDC_AUTHORIZED_PARTIES must name the client of OIDC_CLIENT_ID too, or its tokens are refused",
      ]);
      expect(problemsOf({ ...environment, OIDC_AUTHORIZED_PARTIES: "app,console" })).to.deep.equal([]);
    });

    it("lists every bad and missing value at once", () => {
      const environment = { PORT: "x", HOST: "x", LOG_LEVEL: "x", START_BLOCK: "x", REGISTRY_ADDRESS: "x" };
      const problems = problemsOf(environment, ["DATABASE_URL", "RPC_URL"]);
      expect(problems.map((problem) => problem.split(" ")[0])).to.have.members([
        ...Object.keys(environment),
        "DATABASE_URL",
        "RPC_URL",
      ]);
      expect(new ConfigError(problems).message.split("\n")).to.deep.equal([
        "The configuration cannot be used:",
        ...problems.map((problem) => `  ${problem}`),
      ]);
    });

    it("repeats no secret", () => {
      const names = [
        "DATABASE_URL",
        "RPC_URL",
        "API_KEYS",
        "DEPLOYER_KEY",
        "AUTHOR_KEY",
        "OIDC_ISSUER",
      ] as const;
      const secret = fc.stringMatching(/^[A-Za-z0-9]{12,40}$/);
      fc.assert(
        fc.property(fc.constantFrom(...names), secret, (name, text) => {
          const spellings = [text, `x:${text}`, `redis://u:${text}@h/`, `a:${text},b:${text}`, `0x${text}`];
          const problems = spellings.flatMap((spelling) => problemsOf({ [name]: spelling }));
          expect(problems.join("\n")).to.not.include(text);
        }),
      );
    });
  });

  describe("given required settings", () => {
    it("answers them", () => {
      const { DATABASE_URL } = readConfig({ DATABASE_URL: "postgresql://u:p@h:5432/d" }, ["DATABASE_URL"]);
      expect(DATABASE_URL).to.equal("postgresql://u:p@h:5432/d");
    });

    it("says what a missing one means", () => {
      expect(problemsOf({ DATABASE_URL: "" }, ["DATABASE_URL"])).to.deep.equal([
        `DATABASE_URL is missing: ${settings.DATABASE_URL.means}`,
      ]);
    });

    it("does not call a bad one missing", () => {
      expect(problemsOf({ DATABASE_URL: "db" }, ["DATABASE_URL"])).to.deep.equal([
        "DATABASE_URL must be a URL that starts with postgres:// or postgresql://",
      ]);
    });
  });

  describe("in production", () => {
    it("takes a full environment", () => {
      expect(problemsOf(production)).to.deep.equal([]);
    });

    for (const name of ["OIDC_ISSUER", "DATABASE_URL", "RPC_URL"] as const) {
      it(`refuses to run something else instead of ${name}`, () => {
        const environment = { ...production, [name]: undefined };
        const [problem = "", ...more] = problemsOf(environment, [], { runsStandIns: true });
        expect(problem).to.match(new RegExp(`^${name} is missing: .* refused in production`));
        expect(more).to.deep.equal([]);
      });

      it(`names a missing ${name} once when it is required, too`, () => {
        expect(problemsOf({ ...production, [name]: " " }, [name])).to.have.lengthOf(1);
      });

      it(`lets a command that has no use for ${name} do without it`, () => {
        expect(problemsOf({ ...production, [name]: undefined })).to.deep.equal([]);
      });

      it(`does not call a bad ${name} missing`, () => {
        const problems = problemsOf({ ...production, [name]: "bad" });
        expect(problems).to.have.lengthOf(1);
        expect(problems[0]).to.match(new RegExp(`^${name} must be a URL`));
      });
    }

    it("refuses the example key, alone and among others", () => {
      for (const keys of [`a:${EXAMPLE_API_KEY}`, `a:${STRONG_KEY},b:${EXAMPLE_API_KEY}`]) {
        expect(problemsOf({ ...production, API_KEYS: keys })).to.deep.equal([
          "API_KEYS holds the example key of .env.example: anyone can read it",
        ]);
      }
    });

    it("is told from a value with white space around it, as every setting is", () => {
      expect(problemsOf({ NODE_ENV: " production\n" }, [], { runsStandIns: true })).to.have.lengthOf(3);
    });

    it("is the only place where these are refused", () => {
      for (const mode of ["development", "test"]) {
        expect(
          problemsOf({ NODE_ENV: mode, API_KEYS: `a:${EXAMPLE_API_KEY}` }, [], { runsStandIns: true }),
        ).to.deep.equal([]);
      }
    });
  });
});

describe("settings", () => {
  for (const [name, { means }] of Object.entries(settings)) {
    it(`${name} says what it means, without a full stop`, () => {
      expect(name).to.match(/^[A-Z]+(_[A-Z]+)*$/);
      expect(means).to.match(/[^\s.]$/);
    });
  }
});

describe("publicUrl", () => {
  const config = (environment: Environment): Config => readConfig(environment);

  for (const [what, environment, url] of [
    ["HOST and PORT by default", {}, "http://127.0.0.1:3000"],
    ["an IPv6 address in brackets", { HOST: "::1", PORT: "80" }, "http://[::1]:80"],
    ["localhost", { HOST: "localhost" }, "http://localhost:3000"],
    [
      "PUBLIC_URL where it is set",
      { PUBLIC_URL: "https://registry.example/api" },
      "https://registry.example/api",
    ],
    [
      "PUBLIC_URL without slashes at its end",
      { PUBLIC_URL: "https://registry.example//" },
      "https://registry.example",
    ],
  ] as const) {
    it(`is ${what}`, () => {
      expect(publicUrl(config(environment))).to.equal(url);
    });
  }
});
