import { expect } from "chai";
import {
  fromRlp,
  type Hex,
  keccak256,
  numberToHex,
  parseTransaction,
  serializeTransaction,
  type TransactionSerialized,
  toRlp,
} from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { deployRegistry } from "../../scripts/deploy-registry.ts";
import { deployerKey, other, owner } from "../support/accounts.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { expectError, fieldsOf, keys, startApi, type TestApi } from "../support/api.ts";
import { chainFacts } from "../support/chain-facts.ts";
import { startNodeProxy } from "../support/node-proxy.ts";
import { compact, malleable, signAs, type ToSign } from "../support/sign.ts";

describe("transactions", () => {
  let anvil: Anvil;
  let api: TestApi;
  let facts: ReturnType<typeof chainFacts>;
  let id: string;
  let assetId: string;

  before(async () => {
    anvil = await startAnvil();
    const deployed = await deployRegistry({ rpcUrl: anvil.url, deployerKey });
    const registry = { chainId: deployed.chainId, address: deployed.registry };
    api = await startApi({ rpcUrl: anvil.url, registry });
    facts = chainFacts(api.pool, registry);
  });
  after(async () => {
    await api.stop();
    await anvil.stop();
  });

  beforeEach(async () => {
    ({ transactionId: id, id: assetId } = await requestAsset());
  });

  const requestAsset = async (author = owner.address) =>
    (await api.post("/assets/", { name: "Lease", author })).value;
  const read = async (transactionId = id, options = {}) =>
    api.get(`/transactions/${transactionId}`, { key: null, ...options });
  const toSign = async (transactionId = id): Promise<ToSign> => (await read(transactionId)).value;
  const submit = (body: object, transactionId = id) =>
    api.post(`/transactions/${transactionId}/submit`, body, { key: null });
  const submitRaw = (signedTransaction: unknown) => submit({ signedTransaction });
  const refuse = (signature: unknown, transactionId = id) =>
    api.post(`/transactions/${transactionId}/revoke`, { signature }, { key: null });
  const signRefusal = async (account = owner): Promise<Hex> =>
    account.signTypedData((await read()).value.refusal);
  const stored = async () => {
    const { rows } = await api.pool.query(
      `select (select count(*) from service.transactions) + (select count(*) from service.transaction_hints)
         + (select count(*) from service.requests where refused_at is not null) as n`,
    );
    return rows[0].n;
  };

  describe("GET /transactions/{transactionId}", () => {
    it("needs nothing but the id, and says in words and in bytes what is signed", async () => {
      const { status, value } = await read();
      expect(status).to.equal(200);
      expect(value).to.include({
        id,
        assetId,
        kind: "create",
        state: "Received",
        signer: owner.address,
        to: api.registry.address,
        value: "0x0",
        chainId: 31_337,
        warning: null,
      });
      expect(value.call).to.have.nested.property("arguments.details.name", "Lease");
      expect(value.call.function).to.equal("createAsset");
      expect(value.summary).to.contain(owner.address).and.contain('"Lease"').and.contain("chain 31337");
      for (const field of ["gas", "maxFeePerGas", "maxPriorityFeePerGas", "gasPrice"]) {
        expect(value[field]).to.match(/^0x[1-9a-f][0-9a-f]*$/);
      }
      expect(BigInt(value.maxFeePerGas) >= BigInt(value.maxPriorityFeePerGas)).to.equal(true);
      expect(value.history).to.have.length(1);
      expect(Date.parse(value.expiresAt) - Date.parse(value.createdAt)).to.equal(604_800_000);
    });

    it("gives the signer's next nonce, what waits in the pool included", async () => {
      const { nonce } = await toSign((await requestAsset(other.address)).transactionId);
      await anvil.rpc("evm_setAutomine", [false]);
      const waiting = await other.signTransaction({
        to: owner.address,
        nonce,
        gas: 21_000n,
        chainId: 31_337,
        gasPrice: 10_000_000_000n,
      });
      await anvil.rpc("eth_sendRawTransaction", [waiting]);
      const next = await toSign((await requestAsset(other.address)).transactionId);
      await anvil.rpc("evm_setAutomine", [true]);
      await anvil.mine();
      expect(next.nonce).to.equal(nonce + 1);
    });

    it("can be signed as it stands, and the chain makes that very asset of it", async () => {
      const raw = await signAs(owner, await toSign());
      const hash = await anvil.rpc("eth_sendRawTransaction", [raw]);
      const receipt = await anvil.rpc<{ status: string; logs: { topics: string[] }[] }>(
        "eth_getTransactionReceipt",
        [hash],
      );
      expect(receipt.status).to.equal("0x1");
      expect(receipt.logs[0]?.topics[1]).to.equal(assetId);
    });

    it("warns in words where the registry would refuse the call now", async () => {
      await anvil.rpc("eth_sendRawTransaction", [await signAs(owner, await toSign())]);
      const { value } = await read();
      expect(value.gas).to.equal(null);
      expect(value.warning).to.equal(
        `The registry would refuse this call: the asset ${assetId} is on the chain already.`,
      );
    });

    it("warns an author who cannot pay, and gives all that is signed", async () => {
      const author = privateKeyToAddress(generatePrivateKey());
      const { transactionId } = await requestAsset(author);
      const poor = (await read(transactionId)).value;
      expect(poor.gas).to.match(/^0x[0-9a-f]+$/);
      expect(poor.warning).to.match(
        new RegExp(`^The account ${author} holds 0 of the chain's currency, .* up to 0\\.\\d+: send it more`),
      );

      const most = BigInt(poor.gas) * BigInt(poor.maxFeePerGas);
      await anvil.rpc("anvil_setBalance", [author, numberToHex(2n * most)]);
      expect((await read(transactionId)).value.warning).to.equal(null);
    });

    it("reads links and revocations in words too", async () => {
      const [parent, child] = [await facts.asset(), await facts.asset()];
      const linked = await api.post(`/assets/${parent}/links`, { targetAssetIds: [child] });
      const link = (await read(linked.value.transactionId)).value;
      expect(link).to.include({ kind: "link", assetId: parent });
      expect(link.call).to.deep.equal({ function: "link", arguments: { parent, children: [child] } });
      expect(link.summary).to.contain(`links it to the asset ${child}`);
      expect(link.warning).to.contain("is not on the chain");
      await facts.link(parent, child);
      const revoked = await api.patch(`/assets/${parent}/links`, { targetAssetIds: [child] });
      const revoke = (await read(revoked.value.transactionId)).value;
      expect(revoke.call.function).to.equal("revokeLinks");
      expect(revoke.summary).to.contain("revokes its links");
    });

    it("checks a key and a token that are sent all the same", async () => {
      expect((await read(id, { key: keys["tenant-b"] })).status).to.equal(200);
      expectError(await read(id, { key: "wrong" }), 401, "API_KEY_INVALID");
      expectError(
        await read(id, { headers: { Authorization: "Basic eDp5" } }),
        401,
        "IDENTITY_TOKEN_INVALID",
      );
    });

    it("leaves nothing to sign of a request that is closed", async () => {
      await refuse(await signRefusal());
      const { value } = await read();
      expect(value).to.include({ state: "RevokedByUser", reason: "REFUSED" });
      for (const field of ["to", "data", "value", "nonce", "gas", "maxFeePerGas", "gasPrice", "refusal"]) {
        expect(value[field]).to.equal(null);
      }
    });

    it("takes the id in any case, and answers 404 to every other", async () => {
      expect((await read(id.toUpperCase())).value.id).to.equal(id);
      for (const unknown of ["00000000-0000-4000-8000-000000000000", "1", "%00", assetId]) {
        expectError(await read(unknown), 404, "TRANSACTION_NOT_FOUND");
        expectError(await submit({ signedTransaction: "0x" }, unknown), 404, "TRANSACTION_NOT_FOUND");
        expectError(await refuse("0x00", unknown), 404, "TRANSACTION_NOT_FOUND");
      }
    });
  });

  describe("POST /transactions/{transactionId}/submit", () => {
    it("stores a signed transaction, and answers its hash; it sends nothing", async () => {
      const raw = await signAs(owner, await toSign());
      const { status, value } = await submit({
        signedTransaction: raw,
        signerAddress: owner.address.toLowerCase(),
        description: "from my ledger",
      });
      expect(status).to.equal(202);
      expect(value).to.deep.equal({
        id: assetId,
        transactionId: id,
        transactionHash: keccak256(raw),
        state: "TxSignatureSubmitted",
      });
      expect(await anvil.rpc("eth_getTransactionByHash", [keccak256(raw)])).to.equal(null);
      const history = (await read()).value.history.map(({ state }: { state: string }) => state);
      expect(history).to.deep.equal(["Received", "TxSignatureSubmitted"]);
    });

    it("C4: takes the same bytes twenty times at once and again later, as one", async () => {
      const raw = await signAs(owner, await toSign());
      const before = await stored();
      const answers = await Promise.all(Array.from({ length: 20 }, () => submitRaw(raw)));
      await facts.create(id);
      answers.push(await submitRaw(`0x${raw.slice(2).toUpperCase()}`));
      expect(answers.map(({ status }) => status)).to.deep.equal(new Array(21).fill(202));
      expect(new Set(answers.map(({ value }) => value.transactionHash))).to.deep.equal(
        new Set([keccak256(raw)]),
      );
      expect(await stored()).to.equal(before + 1);
    });

    it("takes legacy with a chain id, type 1, type 2 and an access list", async () => {
      const given = await toSign();
      const gasPrice = 10_000_000_000n;
      const accessList = [{ address: given.to, storageKeys: [`0x${"01".repeat(32)}` as const] }];
      const fees = { maxFeePerGas: undefined, maxPriorityFeePerGas: undefined };
      for (const changes of [
        { type: "legacy", gasPrice, ...fees },
        { type: "eip2930", gasPrice, accessList, ...fees },
        { accessList },
        { nonce: 0, maxPriorityFeePerGas: 0n },
      ] as object[]) {
        expect((await submitRaw(await signAs(owner, given, changes))).status).to.equal(202);
      }
    });

    it("D1: refuses a transaction that is signed for another chain, and names both", async () => {
      const before = await stored();
      const error = expectError(
        await submitRaw(await signAs(owner, await toSign(), { chainId: 1 })),
        422,
        "WRONG_CHAIN",
      );
      expect(error.message).to.equal("It is signed for chain 1, and this registry is on chain 31337.");
      expect(await stored()).to.equal(before);
    });

    it("D2: refuses a transaction that is valid on every chain", async () => {
      const raw = await signAs(owner, await toSign(), {
        type: "legacy",
        chainId: undefined,
        gasPrice: 10_000_000_000n,
        maxFeePerGas: undefined,
        maxPriorityFeePerGas: undefined,
      } as object);
      expectError(await submitRaw(raw), 422, "REPLAYABLE_TRANSACTION");
    });

    it("D3, H8: refuses what somebody else than the author signed, and the state stays", async () => {
      const error = expectError(await submitRaw(await signAs(other, await toSign())), 422, "SIGNER_MISMATCH");
      expect(error.message).to.contain(other.address).and.contain(owner.address);
      expect((await read()).value.state).to.equal("Received");
      const own = await signAs(owner, await toSign());
      const contradiction = await submit({ signedTransaction: own, signerAddress: other.address });
      expectError(contradiction, 422, "SIGNER_MISMATCH");
      expect((await read()).value.state).to.equal("Received");
    });

    it("D4: refuses broken bytes, each with its own message", async () => {
      const raw = await signAs(owner, await toSign());
      const before = await stored();
      const messages = new Map<string, string>();
      const broken: Record<string, string> = {
        empty: "",
        "no bytes": "0x",
        odd: raw.slice(0, -1),
        "without 0x": raw.slice(2),
        cut: raw.slice(0, -4),
        appended: `${raw}00`,
        "no hex": `${raw.slice(0, -2)}zz`,
        "space before": ` ${raw}`,
        "line end behind": `${raw}\n`,
        "one byte": "0x02",
        "an empty list": "0xc0",
        unsigned: serializeTransaction({
          ...(parseTransaction(raw) as object),
          r: undefined,
          s: undefined,
          yParity: undefined,
          v: undefined,
        } as never),
      };
      for (const [name, text] of Object.entries(broken)) {
        const { message } = expectError(await submitRaw(text), 400, "SIGNED_TRANSACTION_MALFORMED");
        messages.set(name, message);
      }
      expect(
        new Set(
          ["empty", "odd", "without 0x", "cut", "no hex", "space before", "unsigned"].map((name) =>
            messages.get(name),
          ),
        ).size,
      ).to.equal(7);
      for (const type of ["0x03", "0x04", "0x7f", "0x00"]) {
        const { message } = expectError(
          await submitRaw(`${type}${raw.slice(4)}`),
          422,
          "UNSUPPORTED_TRANSACTION_TYPE",
        );
        expect(message).to.contain(type);
      }
      expectError(await submitRaw(`0x02${"00".repeat(300_000)}`), 413, "BODY_TOO_LARGE");
      for (const value of [5, null, true, [raw], { raw }]) {
        const answer = await submitRaw(value);
        expectError(answer, 400, "INVALID_REQUEST");
        expect(fieldsOf(answer)).to.deep.equal(["signedTransaction"]);
      }
      expect(await stored()).to.equal(before);
    });

    it("D4: refuses another encoding of the same transaction", async () => {
      const raw = await signAs(owner, await toSign(), { nonce: 5 });
      const items = fromRlp(`0x${raw.slice(4)}`) as Hex[];
      const padded = toRlp(items.map((item, index) => (index === 1 ? "0x0005" : item)));
      const answer = await submitRaw(`0x02${padded.slice(2)}`);
      const { message } = expectError(answer, 400, "SIGNED_TRANSACTION_MALFORMED");
      expect(message).to.contain("canonical");
    });

    it("D4, D5: refuses the malleable twin of a transaction", async () => {
      const raw = await signAs(owner, await toSign());
      const transaction = parseTransaction(raw as TransactionSerialized) as {
        r: Hex;
        s: Hex;
        yParity: number;
      };
      const twin = malleable(
        `0x${transaction.r.slice(2)}${transaction.s.slice(2)}${transaction.yParity === 0 ? "1b" : "1c"}`,
      );
      const highS = serializeTransaction(
        { ...transaction, r: undefined, s: undefined, v: undefined, yParity: undefined } as never,
        { r: `0x${twin.slice(2, 66)}`, s: `0x${twin.slice(66, 130)}`, yParity: twin.endsWith("1b") ? 0 : 1 },
      );
      const { message } = expectError(await submitRaw(highS), 400, "SIGNED_TRANSACTION_MALFORMED");
      expect(message).to.contain("high s");
    });

    it("C10 a, c: refuses a transaction that is not the generated call, and says what differs", async () => {
      const given = await toSign();
      const before = await stored();
      const cases: [object, string[]][] = [
        [{ to: other.address, data: "0x", value: 1n }, ["`to`", "`data`", "`value`"]],
        [{ to: other.address }, [other.address]],
        [{ to: undefined }, ["missing"]],
        [{ data: `${given.data}00` }, ["`data`"]],
        [{ value: 1n }, ["1 wei"]],
      ];
      for (const [changes, named] of cases) {
        const { message } = expectError(
          await submitRaw(await signAs(owner, given, changes)),
          422,
          "TRANSACTION_MISMATCH",
        );
        for (const name of named) expect(message).to.contain(name);
      }
      expect(await stored()).to.equal(before);
    });

    it("C10 b: refuses the transaction of another asset", async () => {
      const another = await requestAsset();
      const raw = await signAs(owner, await toSign(another.transactionId));
      expectError(await submitRaw(raw), 422, "TRANSACTION_MISMATCH");
    });

    it("takes one signed transaction for two requests of the same change", async () => {
      const [parent, child] = [await facts.asset(), await facts.asset()];
      const body = { targetAssetIds: [child] };
      const mine = (await api.post(`/assets/${parent}/links`, body)).value.transactionId;
      const theirs = (await api.post(`/assets/${parent}/links`, body, { key: keys["tenant-b"] })).value
        .transactionId;
      const signedTransaction = await signAs(owner, await toSign(mine));
      expect((await submit({ signedTransaction }, mine)).status).to.equal(202);
      expect((await submit({ signedTransaction }, theirs)).status).to.equal(202);
      for (const one of [mine, theirs])
        expect((await read(one)).value.state).to.equal("TxSignatureSubmitted");
    });

    it("C10 d, e: notes a reported hash for any request, and believes none", async () => {
      const another = await requestAsset();
      const raw = await signAs(owner, await toSign(another.transactionId));
      const transactionHash = await anvil.rpc<string>("eth_sendRawTransaction", [raw]);
      for (const target of [id, another.transactionId, id]) {
        const { status, value } = await submit(
          { transactionHash: transactionHash.toUpperCase().replace("0X", "0x") },
          target,
        );
        expect(status).to.equal(202);
        expect(value).to.include({ state: "Received", transactionHash });
      }
      const status = (await api.get(`/assets/${assetId}/status`)).value;
      expect(status).to.include({ state: "Received", transactionHash });
    });

    it("takes exactly one of signedTransaction and transactionHash", async () => {
      const transactionHash = `0x${"12".repeat(32)}`;
      const signedTransaction = await signAs(owner, await toSign());
      expectError(await submit({}), 400, "INVALID_REQUEST");
      const both = await submit({ signedTransaction, transactionHash, description: "x" });
      expectError(both, 400, "INVALID_REQUEST");
      expect(fieldsOf(both)).to.deep.equal(["signedTransaction", "description"]);
      expectError(await submit({ transactionHash: "0x12" }), 400, "INVALID_REQUEST");
    });

    it("takes nothing more once the request is closed, except news of what closed it", async () => {
      const raw = await signAs(owner, await toSign());
      const later = await signAs(owner, await toSign(), { nonce: 99 });
      await facts.create(id);
      const transactionHash = facts.transactionHashOf(facts.head);
      expectError(await submitRaw(raw), 409, "TRANSACTION_CLOSED");
      expectError(await submitRaw(later), 409, "TRANSACTION_CLOSED");
      expectError(await submit({ transactionHash: `0x${"12".repeat(32)}` }), 409, "TRANSACTION_CLOSED");
      expect((await submit({ transactionHash })).value).to.include({ state: "Committed", transactionHash });
    });

    it("D8: takes the transaction of an account with delegated code (EIP-7702)", async () => {
      const given = await toSign();
      await anvil.rpc("anvil_setCode", [owner.address, `0xef0100${api.registry.address.slice(2)}`]);
      try {
        expect((await submitRaw(await signAs(owner, given))).status).to.equal(202);
      } finally {
        await anvil.rpc("anvil_setCode", [owner.address, "0x"]);
      }
    });
  });

  describe("POST /transactions/{transactionId}/revoke", () => {
    it("ends the request by the author's signature, and is the same success again", async () => {
      const signature = await signRefusal();
      const outcome = { id: assetId, transactionId: id, state: "RevokedByUser" };
      const first = await refuse(signature);
      expect(first.status).to.equal(200);
      expect(first.value).to.deep.equal(outcome);
      expect((await refuse(signature)).value).to.deep.equal(outcome);
      expect((await api.get(`/assets/${assetId}/status`)).value).to.include({ reason: "REFUSED" });
    });

    it("D6: takes v as 0 or 1, and the compact form", async () => {
      const signature = await signRefusal();
      const v = signature.endsWith("1b") ? "00" : "01";
      expect((await refuse(`${signature.slice(0, -2)}${v}`)).status).to.equal(200);
      expect((await refuse(compact(signature))).status).to.equal(200);
    });

    it("D5, D9: refuses a malleable copy, zero bytes and broken lengths", async () => {
      const signature = await signRefusal();
      const before = await stored();
      for (const broken of [
        malleable(signature),
        `0x${"00".repeat(65)}`,
        signature.slice(0, -4),
        `${signature}00`,
        `${signature.slice(0, -2)}1d`,
        "0x00",
      ]) {
        expectError(await refuse(broken), 422, "SIGNATURE_INVALID");
      }
      for (const value of ["", "0x", "0x0", signature.slice(2), 5, null]) {
        expectError(await refuse(value), 400, "INVALID_REQUEST");
      }
      expect(await stored()).to.equal(before);
    });

    it("refuses the signature of somebody else, and one for another transaction", async () => {
      const { message } = expectError(await refuse(await signRefusal(other)), 422, "SIGNATURE_INVALID");
      expect(message).to.contain(other.address);
      const another = await requestAsset();
      expectError(await refuse(await signRefusal(), another.transactionId), 422, "SIGNATURE_INVALID");
    });

    it("comes too late once the change is on the chain", async () => {
      const signature = await signRefusal();
      await facts.create(id);
      expectError(await refuse(signature), 409, "TRANSACTION_CLOSED");
    });

    it("still ends a request whose transaction is signed, and closes it for more", async () => {
      const raw = await signAs(owner, await toSign());
      await submitRaw(raw);
      const other = await signAs(owner, await toSign(), { nonce: 77 });
      expect((await refuse(await signRefusal())).value.state).to.equal("RevokedByUser");
      expectError(await submitRaw(other), 409, "TRANSACTION_CLOSED");
    });
  });

  describe("given a node that is sick", () => {
    it("blames neither the call nor the signature", async () => {
      const sick = () => ({ error: { code: -32000, message: "missing trie node" } });
      const node = await startNodeProxy(anvil.url, {
        eth_call: sick,
        eth_estimateGas: sick,
        eth_getCode: ([address]) =>
          String(address).toLowerCase() === owner.address.toLowerCase() ? { result: "0x6001" } : undefined,
      });
      const ill = await startApi({ rpcUrl: node.url, registry: api.registry });
      try {
        const { transactionId } = (await ill.post("/assets/", { name: "A", author: owner.address })).value;
        const path = `/transactions/${transactionId}`;
        expectError(await ill.get(path), 503, "NODE_UNAVAILABLE");
        const answer = await ill.post(`${path}/revoke`, { signature: `0x${"11".repeat(65)}` });
        expectError(answer, 503, "NODE_UNAVAILABLE");
      } finally {
        await ill.stop();
        node.stop();
      }
    });
  });

  describe("given a node that is down", () => {
    let down: TestApi;
    before(async () => {
      down = await startApi({ registry: api.registry });
    });
    after(() => down.stop());

    it("cannot say what to sign, and still takes what is signed, refused or reported", async () => {
      const asset = (await down.post("/assets/", { name: "A", author: owner.address })).value;
      const path = `/transactions/${asset.transactionId}`;
      const unanswered = await down.get(path);
      expectError(unanswered, 503, "NODE_UNAVAILABLE");
      expect(unanswered.headers.get("retry-after")).to.equal("5");
      const { rows } = await down.pool.query("select calldata from service.requests where id = $1", [
        asset.transactionId,
      ]);
      const given = { ...(await toSign()), data: `0x${rows[0].calldata.toString("hex")}` as Hex };
      const answer = await down.post(`${path}/submit`, { signedTransaction: await signAs(owner, given) });
      expect(answer.status).to.equal(202);
      expect((await down.get(`/assets/${asset.id}/status`)).value.state).to.equal("TxSignatureSubmitted");
    });
  });
});
