import { expect } from "chai";
import type { Hex, LocalAccount } from "viem";
import { limits } from "../../../domain/limits.ts";
import { developerLogin } from "../../../scripts/local/developer-login.ts";
import { type IdentityProvider, startIdentityProvider } from "../../../scripts/local/identity-provider.ts";
import { expectError, fieldsOf, startApi, type TestApi } from "../../support/api.ts";
import { other, owner, third } from "../../support/chain/accounts.ts";
import { connect } from "../../support/connect.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";

const audience = "asset-registry";

describe("wallets", () => {
  let provider: IdentityProvider;
  let api: TestApi;
  let facts: ReturnType<typeof chainFacts>;
  let [alice, bob] = ["", ""];

  before(async () => {
    provider = await startIdentityProvider({ port: 0, audience });
    api = await startApi({ issuer: provider.issuer });
    facts = chainFacts(api.pool, api.registry);
    alice = await developerLogin(provider.issuer, audience, "alice");
    bob = await developerLogin(provider.issuer, audience, "bob");
  });
  after(async () => {
    await api.stop();
    await provider.stop();
  });
  afterEach(() => api.pool.query("delete from service.wallets"));

  const list = async (bearer: string) => (await api.get("/wallets/", { key: null, bearer })).value;
  const start = async (bearer: string, body?: object) =>
    api.call("POST", "/wallets/", { key: null, bearer, ...(body === undefined ? {} : { body }) });
  const confirm = (bearer: string, id: string, ethereumAddress: unknown, signature: unknown) =>
    api.post(`/wallets/${id}/confirm`, { ethereumAddress, signature }, { key: null, bearer });
  const remove = (bearer: string, id: string) => api.remove(`/wallets/${id}`, { key: null, bearer });
  const sign = (account: LocalAccount, serializedValue: string): Promise<Hex> =>
    account.signTypedData(JSON.parse(serializedValue));
  /** Starts a connection, and signs it as this account. */
  async function signed(bearer: string, account: LocalAccount) {
    const { value } = await start(bearer);
    return { ...value, signature: await sign(account, value.serializedValue) };
  }

  describe("POST /wallets/", () => {
    it("answers the record of docs/spec.md §2.7, without a body and without a content type", async () => {
      const { status, value } = await start(alice);
      expect(status).to.equal(201);
      expect(value).to.have.all.keys("id", "token", "technology", "expiration", "serializedValue", "userId");
      expect(value).to.include({ technology: "ETH", userId: "alice" });
      expect(value.token).to.match(/^[A-Za-z0-9_-]{43}$/);
      expect(value.expiration).to.match(/\+00:00$/);
      expect(Date.parse(value.expiration) - Date.now()).to.be.within(590_000, 600_000);
    });

    it("binds service, issuer, user, token, expiry, chain and registry into what is signed", async () => {
      const { value } = await start(alice, { name: "Ledger" });
      const typedData = JSON.parse(value.serializedValue);
      expect(typedData.domain).to.deep.equal({
        name: "Asset Registry",
        version: "1",
        chainId: 31_337,
        verifyingContract: api.registry.address,
      });
      expect(typedData.types.EIP712Domain).to.have.length(4);
      expect(typedData.message).to.deep.equal({
        statement: "I connect this address to this user of the Asset Registry.",
        service: "https://registry.example",
        issuer: provider.issuer,
        user: "alice",
        token: value.token,
        expiration: value.expiration,
      });
    });

    it("is refused where the user has too many open, and not because of old ones or others'", async () => {
      const carol = await developerLogin(provider.issuer, audience, "carol");
      await api.pool.query(
        `insert into service.wallet_initialisations (id, issuer, subject, name, description, token, expires_at)
         select gen_random_uuid(), $1, subject, '', '', gen_random_uuid()::text, now() + make_interval(secs => seconds)
         from generate_series(1, $2::int) n, (values ('carol', 60), ('dave', 600), ('carol', -90000)) given (subject, seconds)`,
        [provider.issuer, limits.openInitialisations - 1],
      );
      expect((await start(carol)).status).to.equal(201);
      expectError(await start(carol), 429, "TOO_MANY_OPEN_INITIALISATIONS");
      const dave = await developerLogin(provider.issuer, audience, "dave");
      expect((await start(dave)).status).to.equal(201);
      const { rows } = await api.pool.query(
        "select count(*)::int as old from service.wallet_initialisations where expires_at < now() - interval '1 day'",
      );
      expect(rows[0].old, "removed in the background, not by a request").to.equal(
        limits.openInitialisations - 1,
      );
      await api.pool.query("delete from service.wallet_initialisations where subject in ('carol', 'dave')");
    });

    it("refuses bad labels by name", async () => {
      const answer = await start(alice, { name: 5, description: "x".repeat(257), color: "red" });
      expectError(answer, 400, "INVALID_REQUEST");
      expect(fieldsOf(answer)).to.deep.equal(["name", "description", "color"]);
    });
  });

  describe("POST /wallets/{walletId}/confirm", () => {
    it("connects the address, and lists it with its labels", async () => {
      const { value: started } = await start(alice, { name: "Ledger", description: "in the safe" });
      const signature = await sign(owner, started.serializedValue);
      const { status, value } = await confirm(alice, started.id, owner.address, signature);
      expect(status).to.equal(200);
      expect(value).to.deep.equal({
        id: started.id,
        name: "Ledger",
        description: "in the safe",
        ethereumAddress: owner.address,
      });
      expect(await list(alice)).to.deep.equal([value]);
      expect(await list(bob)).to.deep.equal([]);
    });

    it("refuses one wallet more than are allowed, and takes it when another was removed", async () => {
      const started = await signed(alice, owner);
      await api.pool.query(
        `insert into service.wallets (id, issuer, subject, name, description, address)
         select gen_random_uuid(), $1, 'alice', '', '', substring(sha256(n::text::bytea) for 20)
         from generate_series(1, $2::int) n`,
        [provider.issuer, limits.wallets],
      );
      const tryIt = () => confirm(alice, started.id, owner.address, started.signature);
      expectError(await tryIt(), 409, "TOO_MANY_WALLETS");
      await remove(alice, (await list(alice))[0].id);
      expect((await tryIt()).status).to.equal(200);
    });

    it("leaves an address to the user who holds it, and the other one as they were", async () => {
      await connect(api, alice, owner);
      const theirs = await signed(bob, owner);
      for (const address of [owner.address, owner.address.toLowerCase()]) {
        expectError(await confirm(bob, theirs.id, address, theirs.signature), 409, "WALLET_TAKEN");
      }
      expect(await list(bob)).to.deep.equal([]);
      expect(await list(alice)).to.have.length(1);
    });

    it("gives an address to exactly one of two users at the same moment", async () => {
      for (let round = 0; round < 50; round += 1) {
        const tries = await Promise.all([signed(alice, owner), signed(bob, owner)]);
        const answers = await Promise.all(
          tries.map(({ id, signature }, index) =>
            confirm(index === 0 ? alice : bob, id, owner.address, signature),
          ),
        );
        expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
        const winner = answers.find(({ status }) => status === 200);
        const bearer = answers[0]?.status === 200 ? alice : bob;
        expect((await remove(bearer, winner?.value.id)).status).to.equal(200);
      }
    });

    it("takes an initialisation once, before it expires, and only one that was started", async () => {
      const used = await signed(alice, owner);
      expect((await confirm(alice, used.id, owner.address, used.signature)).status).to.equal(200);
      expectError(await confirm(alice, used.id, owner.address, used.signature), 409, "INITIALISATION_USED");

      const expired = await signed(alice, third);
      await api.pool.query("update service.wallet_initialisations set expires_at = now() where id = $1", [
        expired.id,
      ]);
      const late = await confirm(alice, expired.id, third.address, expired.signature);
      expectError(late, 410, "INITIALISATION_EXPIRED");

      for (const id of ["00000000-0000-4000-8000-000000000000", "nonsense"]) {
        expectError(await confirm(alice, id, third.address, used.signature), 404, "WALLET_NOT_FOUND");
      }
      const foreign = await signed(bob, third);
      expectError(
        await confirm(alice, foreign.id, third.address, foreign.signature),
        404,
        "WALLET_NOT_FOUND",
      );
    });

    it("refuses bad fields by name", async () => {
      const { value } = await start(alice);
      const answer = await confirm(alice, value.id, "0x12", "signature");
      expectError(answer, 400, "INVALID_REQUEST");
      expect(fieldsOf(answer)).to.deep.equal(["ethereumAddress", "signature"]);
    });
  });

  describe("DELETE /wallets/{walletId}", () => {
    it("removes it once, so that another user may connect it; its assets stay what they are", async () => {
      const asset = await facts.asset();
      const pending = (await api.post("/assets/", { name: "A", author: owner.address })).value;
      const mine = (await connect(api, alice, owner)).value.id;
      const removed = await remove(alice, mine);
      expect(removed.status).to.equal(200);
      expect(removed.value).to.equal(null);
      expectError(await remove(alice, mine), 404, "WALLET_NOT_FOUND");
      const theirs = await connect(api, bob, owner);
      expect(theirs.status).to.equal(200);
      expectError(await remove(alice, mine), 404, "WALLET_NOT_FOUND");
      expectError(await remove(alice, theirs.value.id), 404, "WALLET_NOT_FOUND");
      expect(await list(bob)).to.have.length(1);
      expect((await api.get(`/assets/${asset}`)).value).to.include({
        author: owner.address,
        state: "Committed",
      });
      expect((await api.get(`/assets/${pending.id}/status`)).value.state).to.equal("Received");
    });

    it("answers 404 to what is no id", async () => {
      for (const id of ["1", "%00", "..%2f..%2fetc", "__proto__"]) {
        expectError(await remove(alice, id), 404, "WALLET_NOT_FOUND");
      }
    });
  });

  describe("a token beside the key of an asset call", () => {
    it("lets the user act for the addresses of their wallets, and for no other", async () => {
      await connect(api, alice, owner);
      const [parent, child] = [await facts.asset(), await facts.asset({}, other.address)];
      await facts.link(parent, child);
      const unlinked = await facts.asset();
      const attempts = (bearer: string) =>
        Promise.all([
          api.post("/assets/", { name: "A", author: owner.address }, { bearer }),
          api.post(`/assets/${parent}/links`, { targetAssetIds: [unlinked] }, { bearer }),
          api.patch(`/assets/${parent}/links`, { targetAssetIds: [child] }, { bearer }),
        ]);
      for (const answer of await attempts(alice)) expect(answer.status).to.equal(202);
      const { rows: before } = await api.pool.query("select count(*) from service.requests");
      for (const answer of await attempts(bob)) expectError(answer, 403, "AUTHOR_NOT_YOURS");
      const { rows: after } = await api.pool.query("select count(*) from service.requests");
      expect(after).to.deep.equal(before);
    });

    it("shows a pending asset of another tenant to the user who holds its author", async () => {
      const { id } = (await api.post("/assets/", { name: "A", author: owner.address })).value;
      const key = "key-of-tenant-b-0123456789abcdef";
      expectError(await api.get(`/assets/${id}`, { key, bearer: alice }), 404, "ASSET_NOT_FOUND");
      await connect(api, alice, owner);
      expect((await api.get(`/assets/${id}`, { key, bearer: alice })).value.state).to.equal("Received");
      expectError(await api.get(`/assets/${id}`, { key, bearer: bob }), 404, "ASSET_NOT_FOUND");
    });
  });
});
