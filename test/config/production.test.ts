import { randomBytes, randomUUID } from "node:crypto";
import { expect } from "chai";
import { generatePrivateKey } from "viem/accounts";
import { requiredSettings } from "../../api/operation/dependencies.ts";
import { isKnownKey } from "../../config/known-keys.ts";
import { productionProblems } from "../../config/production.ts";
import { isWeakSecret } from "../../config/weak-secret.ts";
import { ConfigError, readConfig } from "../../config.ts";
import { devAccounts } from "../../scripts/local/dev-accounts.ts";

const good = {
  NODE_ENV: "production",
  DATABASE_URL: "postgres://registry:q7Vx2mZpR9sKc4Wb@db.example/registry",
  RPC_URL: "http://127.0.0.1:8545,https://rpc.example",
  REGISTRY_ADDRESS: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  OIDC_ISSUER: "https://id.example",
  PUBLIC_URL: "https://registry.example",
  HOST: "0.0.0.0",
  API_KEYS: "acme:q7Vx2mZpR9sKc4WbYt1LhDf8Ga",
};

/** What the API is told in such an environment. */
function refusal(environment: Record<string, string | undefined>): string[] {
  try {
    readConfig({ ...good, ...environment }, requiredSettings);
    return [];
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
}

describe("production", () => {
  it("takes what an operator chose with care, a node beside the service included", () => {
    expect(refusal({})).to.deep.equal([]);
    expect(refusal({ RELAYER_KEY: generatePrivateKey(), DEPLOYER_KEY: generatePrivateKey() })).to.deep.equal(
      [],
    );
    expect(refusal({ HOST: "127.0.0.1", PUBLIC_URL: undefined })).to.deep.equal([]);
  });

  for (const name of ["RELAYER_KEY", "DEPLOYER_KEY", "AUTHOR_KEY"]) {
    it(`refuses a ${name} that the whole world knows, and does not repeat it`, () => {
      for (const { privateKey } of [devAccounts[0], devAccounts[9]].filter(
        (account) => account !== undefined,
      )) {
        const problems = refusal({ [name]: privateKey.toUpperCase().replace("0X", "0x") });
        expect(problems).to.have.length(1);
        expect(problems[0]).to.match(new RegExp(`^${name} is a key that the whole world knows`));
        expect(problems[0]).not.to.contain(privateKey.slice(2, 12));
      }
    });
  }

  it("refuses issuers and published URLs without TLS, or on this machine, however that is written", () => {
    for (const name of ["OIDC_ISSUER", "PUBLIC_URL", "CHAIN_RPC_URL", "CHAIN_EXPLORER_URL"]) {
      for (const url of [
        "http://id.example",
        "https://localhost:3001",
        "https://LOCALHOST.",
        "https://dev.localhost",
        "https://127.0.0.1",
        "https://127.1",
        "https://0x7f000001",
        "https://[::1]",
        "https://[::ffff:127.0.0.1]",
        "http://127.0.0.1:3001",
      ]) {
        expect(refusal({ [name]: url }), `${name} ${url}`).to.have.length(1);
      }
    }
    expect(refusal({ OIDC_ISSUER: "https://id.example,http://other.example" })).to.have.length(1);
  });

  it("wants PUBLIC_URL where HOST is open to the network", () => {
    for (const HOST of ["0.0.0.0", "::", "10.0.0.5", "192.168.1.2"]) {
      expect(refusal({ HOST, PUBLIC_URL: undefined })[0], HOST).to.match(/^PUBLIC_URL is missing/);
    }
    for (const HOST of ["127.0.0.1", "::1", "localhost", "127.0.0.2"]) {
      expect(refusal({ HOST, PUBLIC_URL: undefined }), HOST).to.deep.equal([]);
    }
    // The other parts answer nobody, and share the environment.
    expect(() => readConfig({ ...good, PUBLIC_URL: undefined }, ["DATABASE_URL", "RPC_URL"])).not.to.throw();
  });

  it("refuses keys and tokens that can be guessed, and names the tenant alone", () => {
    for (const key of [
      "a".repeat(24),
      "ab".repeat(20),
      "abc123".repeat(6),
      "abcdefghijklmnopqrstuvwxyz",
      "0123456789".repeat(3),
      "changeme-changeme-changeme",
      "my-very-secret-api-key-for-acme",
      "qwertyuiopasdfghjklzxcvbnm",
      "1111111111111111111111112",
    ]) {
      const problems = refusal({ API_KEYS: `acme:${key}` });
      expect(problems, key).to.have.length(1);
      expect(problems[0]).to.contain("acme").and.not.to.contain(key);
      expect(refusal({ METRICS_TOKEN: key })[0], key).to.match(/^METRICS_TOKEN can be guessed/);
    }
  });

  it("takes any secret that was drawn by chance", () => {
    for (let draw = 0; draw < 300; draw += 1) {
      for (const secret of [
        randomBytes(24).toString("base64url"),
        randomBytes(16).toString("hex"),
        randomUUID(),
        randomBytes(32).toString("base64"),
      ]) {
        expect(isWeakSecret(secret), secret).to.equal(false);
      }
    }
  });

  it("knows the accounts of Hardhat's phrase, the keys of manuals and those of few digits", () => {
    for (const { privateKey } of devAccounts) expect(isKnownKey(privateKey)).to.equal(true);
    for (const key of [
      // The 20th of Hardhat, the first of Ganache, one of Besu.
      "0xdf57089febbacf7ba0bc227dafbffa9fc08a93fdc68e1e42411a14efcf23656e",
      "0x4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d",
      "0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63",
      `0x${"0".repeat(63)}1`,
      `0x${"11".repeat(32)}`,
      `0x${"0123456789abcdef".repeat(4)}`,
    ] as const) {
      expect(isKnownKey(key), key).to.equal(true);
    }
    expect(isKnownKey(generatePrivateKey())).to.equal(false);
  });

  it("refuses passwords of the database that are tried first", () => {
    for (const password of ["postgres", "password", "registry", "123456", "0000", "Admin"]) {
      const url = `postgres://registry:${password}@db.example/registry`;
      const problems = refusal({ DATABASE_URL: url });
      expect(problems, password).to.deep.equal([
        "DATABASE_URL holds a password that is tried first, which is refused in production",
      ]);
    }
    expect(refusal({ DATABASE_URL: "postgres:///registry?host=/run/postgresql" })).to.deep.equal([]);
  });

  it("says everything at once", () => {
    expect(
      productionProblems(
        { HOST: "::", OIDC_ISSUER: ["http://a.example"], API_KEYS: [{ tenant: "a", key: "a".repeat(30) }] },
        true,
      ),
    ).to.have.length(3);
  });
});
