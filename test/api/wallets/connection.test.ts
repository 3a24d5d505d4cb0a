import { expect } from "chai";
import { concat, type Hex, type LocalAccount, type TypedDataDefinition } from "viem";
import { developerLogin } from "../../../scripts/local/developer-login.ts";
import { type IdentityProvider, startIdentityProvider } from "../../../scripts/local/identity-provider.ts";
import { type Answer, expectError, fieldsOf, startApi, type TestApi } from "../../support/api.ts";
import { other, owner, third } from "../../support/chain/accounts.ts";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { deployContractWallet, type WalletAnswer } from "../../support/chain/contract-wallet.ts";
import { createDatabase } from "../../support/database/postgres.ts";
import { compact, malleable } from "../../support/sign.ts";

const audience = "asset-registry";

type Connection = {
  message: { statement: string };
  types: { WalletConnection: object[] };
  domain: { verifyingContract: string };
};

describe("the proof that an address is the user's", () => {
  let anvil: Anvil;
  let provider: IdentityProvider;
  let api: TestApi;
  let bearer: string;

  before(async () => {
    provider = await startIdentityProvider({ port: 0, audience });
    anvil = await startAnvil();
    api = await startApi({ issuer: provider.issuer, rpcUrl: anvil.url });
    bearer = await developerLogin(provider.issuer, audience, "alice");
  });
  after(async () => {
    await api.stop();
    await provider.stop();
    await anvil.stop();
  });
  afterEach(() => api.pool.query("delete from service.wallets"));

  const list = async (): Promise<unknown[]> => (await api.get("/wallets/", { key: null, bearer })).value;
  async function start(at = api): Promise<{ id: string; typedData: TypedDataDefinition }> {
    const { value } = await at.call("POST", "/wallets/", { key: null, bearer });
    return { id: value.id, typedData: JSON.parse(value.serializedValue) };
  }
  const confirm = (id: string, ethereumAddress: unknown, signature: unknown, at = api): Promise<Answer> =>
    at.post(`/wallets/${id}/confirm`, { ethereumAddress, signature }, { key: null, bearer });
  async function signed(account: LocalAccount = owner) {
    const { id, typedData } = await start();
    return { id, signature: await account.signTypedData(typedData) };
  }

  it("names one wallet in every spelling of its address, and answers its checksum", async () => {
    const digits = owner.address.slice(2);
    const ids = new Set<string>();
    for (const spelling of [owner.address, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`]) {
      const { id, signature } = await signed();
      const { status, value } = await confirm(id, spelling, signature);
      expect(status, spelling).to.equal(200);
      expect(value.ethereumAddress).to.equal(owner.address);
      ids.add(value.id);
    }
    expect(ids.size).to.equal(1);
    expect(await list()).to.have.length(1);
  });

  it("takes no address with a wrong checksum or 0X, here and of an author", async () => {
    const { id, signature } = await signed();
    const wrong = owner.address.replace("0xf39F", "0xF39f");
    for (const spelling of [wrong, owner.address.replace("0x", "0X"), owner.address.toUpperCase()]) {
      const answer = await confirm(id, spelling, signature);
      expectError(answer, 400, "INVALID_REQUEST");
      expect(fieldsOf(answer), spelling).to.deep.equal(["ethereumAddress"]);
      const created = await api.post("/assets/", { name: "A", author: spelling });
      expectError(created, 400, "INVALID_REQUEST");
      expect(fieldsOf(created), spelling).to.deep.equal(["author"]);
    }
    expect((await confirm(id, owner.address, signature)).status).to.equal(200);
  });

  it("lets a user act for their address in every spelling of the author", async () => {
    const { id, signature } = await signed();
    await confirm(id, owner.address, signature);
    const digits = owner.address.slice(2);
    for (const author of [owner.address, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`]) {
      const { status, value } = await api.post("/assets/", { name: "A", author }, { bearer });
      expect(status, author).to.equal(202);
      expect(value.author).to.equal(owner.address);
    }
    const { value: mine } = await api.get(`/assets/?author=0x${digits.toUpperCase()}`);
    expect(mine).to.have.length(3);
  });

  it("is taken by a service that was started anew meanwhile", async () => {
    const database = await createDatabase();
    const options = { database, issuer: provider.issuer, rpcUrl: anvil.url };
    const before = await startApi(options);
    const { id, typedData } = await start(before).finally(() => before.stop());
    const after = await startApi({ ...options, indexed: false });
    try {
      const answer = await confirm(id, owner.address, await owner.signTypedData(typedData), after);
      expect(answer.status, answer.error?.message).to.equal(200);
    } finally {
      await after.stop();
      await database.drop();
    }
  });

  it("is not what was signed for another service, user, chain or registry; a refused try spends nothing", async () => {
    const { id, typedData } = await start();
    const { message, domain } = typedData as { message: object; domain: object };
    const changes: [string, object][] = [
      ["another service", { message: { ...message, service: "https://evil.test" } }],
      ["another port", { message: { ...message, service: "https://registry.example:8443" } }],
      ["another path", { message: { ...message, service: "https://registry.example/other" } }],
      ["another user", { message: { ...message, user: "bob" } }],
      ["another issuer", { message: { ...message, issuer: "https://other.test" } }],
      ["another token", { message: { ...message, token: "x" } }],
      ["a later end", { message: { ...message, expiration: "2099-01-01T00:00:00.000+00:00" } }],
      ["another chain", { domain: { ...domain, chainId: 1 } }],
      ["another version", { domain: { ...domain, version: "2" } }],
      ["another registry", { domain: { ...domain, verifyingContract: owner.address } }],
    ];
    for (const [what, change] of changes) {
      const signature = await owner.signTypedData({ ...typedData, ...change } as TypedDataDefinition);
      const answer = await confirm(id, owner.address, signature);
      // Only the signature arrives, never the message: whose key it would be over the right one is all that can be told.
      const { message } = expectError(answer, 422, "SIGNATURE_INVALID");
      expect(message, what).to.match(/over this data it is one of 0x[0-9a-fA-F]{40}/);
    }
    expect(await list()).to.deep.equal([]);
    const good = await owner.signTypedData(typedData);
    expect((await confirm(id, owner.address, good)).status).to.equal(200);
  });

  it("is over the bytes that were given: no other line end, mark or line, whatever its size", async () => {
    const { id, typedData } = await start();
    const { message, types, domain } = typedData as unknown as Connection;
    const say = (statement: string) => ({ message: { ...message, statement } });
    const twice = {
      ...types,
      WalletConnection: [...types.WalletConnection, { name: "nonce", type: "string" }],
    };
    for (const [what, change] of Object.entries({
      "other line ends": say(`${message.statement}\r\n`),
      "a line more": say(`${message.statement}\n`),
      "a byte order mark": say(`\ufeff${message.statement}`),
      "a megabyte": say("x".repeat(1 << 20)),
      "a second nonce": { types: twice, message: { ...message, nonce: "x" } },
    })) {
      const signature = await owner.signTypedData({ ...typedData, ...change } as TypedDataDefinition);
      const answer = await confirm(id, owner.address, signature);
      expect([answer.status, answer.error?.code], what).to.deep.equal([422, "SIGNATURE_INVALID"]);
    }
    // Of an address the bytes are signed, and not its letters; nor does the order of the fields matter.
    const lower = { ...domain, verifyingContract: domain.verifyingContract.toLowerCase() };
    const reversed = Object.fromEntries(Object.entries(message).reverse());
    const same = { ...typedData, domain: lower, message: reversed } as TypedDataDefinition;
    const answer = await confirm(id, owner.address.toLowerCase(), await owner.signTypedData(same));
    expect(answer.status).to.equal(200);
  });

  it("is not a malleable copy of a used signature", async () => {
    const { id, signature } = await signed();
    expectError(await confirm(id, owner.address, malleable(signature)), 422, "SIGNATURE_INVALID");
    const { value } = await confirm(id, owner.address, signature);
    await api.remove(`/wallets/${value.id}`, { key: null, bearer });
    for (const copy of [signature, malleable(signature), compact(signature)]) {
      expectError(await confirm(id, owner.address, copy), 409, "INITIALISATION_USED");
    }
  });

  it("may have v as 0 or 1, or the compact form", async () => {
    for (const form of [
      (signature: Hex) => `${signature.slice(0, -2)}${signature.endsWith("1b") ? "00" : "01"}`,
      compact,
    ]) {
      const { id, signature } = await signed();
      expect((await confirm(id, owner.address, form(signature))).status).to.equal(200);
    }
  });

  it("is refused by its code in every other length and with every other v", async () => {
    const { id, signature } = await signed();
    for (const bytes of [
      "0x00",
      signature.slice(0, -4),
      `${signature}00`,
      ...["02", "1a", "1d", "25", "ff"].map((v) => `${signature.slice(0, -2)}${v}`),
      `0x${"ff".repeat(64)}`,
      `0x${"ff".repeat(65)}`,
      `0x${"00".repeat(4_096)}`,
    ]) {
      const answer = await confirm(id, owner.address, bytes);
      expect([answer.status, answer.error?.code], bytes.slice(0, 20)).to.deep.equal([
        422,
        "SIGNATURE_INVALID",
      ]);
    }
  });

  it("is not the zero address, nor zero bytes", async () => {
    const { id, signature } = await signed();
    const answer = await confirm(id, `0x${"0".repeat(40)}`, signature);
    expectError(answer, 400, "INVALID_REQUEST");
    expect(fieldsOf(answer)).to.deep.equal(["ethereumAddress"]);
    for (const length of [64, 65]) {
      const zeroes = `0x${"00".repeat(length)}`;
      expectError(await confirm(id, owner.address, zeroes), 422, "SIGNATURE_INVALID");
    }
  });

  it("is the key of an account with delegated code (EIP-7702)", async () => {
    const { address } = await deployContractWallet(anvil, [other.address, third.address]);
    await anvil.rpc("anvil_setCode", [owner.address, `0xef0100${address.slice(2)}`]);
    try {
      const { id, signature } = await signed();
      expect((await confirm(id, owner.address, signature)).status).to.equal(200);
    } finally {
      await anvil.rpc("anvil_setCode", [owner.address, "0x"]);
    }
  });

  describe("of a contract wallet", () => {
    let wallet: Awaited<ReturnType<typeof deployContractWallet>>;
    before(async () => {
      wallet = await deployContractWallet(anvil, [other.address, third.address]);
    });

    /** What both owners sign, 130 bytes. */
    async function signedByBoth() {
      const { id, typedData } = await start();
      const signatures = [await other.signTypedData(typedData), await third.signTypedData(typedData)];
      return { id, signature: concat(signatures) };
    }

    it("is what the contract accepts, of 130 bytes", async () => {
      await wallet.answerFromNowOn("Honest");
      const { id, signature } = await signedByBoth();
      expectError(await confirm(id, wallet.address, signature.slice(0, 132)), 422, "SIGNATURE_INVALID");
      expectError(await confirm(id, wallet.address, `${signature}00`), 422, "SIGNATURE_INVALID");
      const { status, value } = await confirm(id, wallet.address, signature);
      expect(status).to.equal(200);
      expect(await list()).to.deep.equal([value]);
    });

    const refused: WalletAnswer[] = [
      "WrongMagic",
      "DirtyMagic",
      "FourBytes",
      "Nothing",
      "Reverts",
      "Loops",
      "MegabyteOfJunk",
      "ChangesState",
    ];
    for (const answer of refused) {
      it(`is refused, and spends nothing, where it answers ${answer}`, async () => {
        await wallet.answerFromNowOn(answer);
        const { id, signature } = await signedByBoth();
        expectError(await confirm(id, wallet.address, signature), 422, "SIGNATURE_INVALID");
        expect(await list()).to.deep.equal([]);
        await wallet.answerFromNowOn("Honest");
        expect((await confirm(id, wallet.address, signature)).status).to.equal(200);
      });
    }

    it("counts by the first word of the answer, as in the registry", async () => {
      await wallet.answerFromNowOn("MegabyteAfterMagic");
      const { id, signature } = await signedByBoth();
      expect((await confirm(id, wallet.address, signature)).status).to.equal(200);
    });

    it("is refused where there is no code", async () => {
      const { id, signature } = await signedByBoth();
      const nobody = "0x00000000000000000000000000000000000c0de1";
      expectError(await confirm(id, nobody, signature), 422, "SIGNATURE_INVALID");
    });
  });
});
