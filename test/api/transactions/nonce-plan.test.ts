import { expect } from "chai";
import fc from "fast-check";
import { keccak256, toHex } from "viem";
import { planNonce } from "../../../api/transactions/nonce-plan.ts";
import type { HeldNonce } from "../../../db/service/transactions/nonce-queue.ts";
import { expectError, keys } from "../../support/api.ts";
import { useSigning } from "../../support/rigs/signing-rig.ts";
import { signAs } from "../../support/sign.ts";

const held = (nonce: number, own = false): HeldNonce => ({
  nonce,
  hash: keccak256(toHex(nonce)),
  own,
  raw: undefined,
});

describe("planNonce", () => {
  for (const [rule, nonces, unsigned, holders, expected] of [
    ["is the chain's next one where nothing waits", [3, 5], 0, [], [5, 5]],
    ["is moved up by each earlier unsigned request", [5, 5], 3, [], [8, 5]],
    ["leaves out nonces that stored transactions hold", [5, 5], 1, [held(5), held(7)], [8, 6]],
    ["fills a gap before those that are held", [5, 5], 0, [held(6)], [5, 5]],
    ["ignores what is in a block or in the pool already", [4, 5], 0, [held(3), held(4)], [5, 5]],
    ["stays that of the signed transaction", [5, 6], 4, [held(5, true), held(6)], [5, 5]],
    ["is a new one where the signed one's nonce was used", [6, 6], 1, [held(5, true)], [7, 6]],
  ] as const) {
    it(rule, () => {
      const [mined, pending] = nonces;
      const plan = planNonce({ mined, pending }, { unsigned, held: [...holders] });
      expect([plan.nonce, plan.nextNonce]).to.deep.equal(expected);
    });
  }

  it("gives requests in a row the free nonces in their order, and leaves no gap", () => {
    const nonces = fc.uniqueArray(fc.nat(30), { maxLength: 12 });
    fc.assert(
      fc.property(
        fc.nat(20),
        fc.nat(5),
        nonces,
        fc.integer({ min: 1, max: 12 }),
        (mined, inPool, taken, open) => {
          const pending = mined + inPool;
          const queue = taken.map((nonce) => held(nonce));
          const given = Array.from(
            { length: open },
            (_, unsigned) => planNonce({ mined, pending }, { unsigned, held: queue }).nonce,
          );
          const all = new Set([...given, ...taken]);
          expect(all.size).to.equal(given.length + taken.length);
          expect(given).to.deep.equal(given.toSorted((a, b) => a - b));
          for (let nonce = pending; nonce < Math.max(...given); nonce += 1)
            expect(all.has(nonce)).to.equal(true);
          expect(Math.min(...given)).to.be.at.least(pending);
        },
      ),
    );
  });
});

describe("the nonces of several requests of one author", () => {
  const signing = useSigning();
  const { newAuthor, requestAsset, read, toSign, submitRaw, refuse, send } = signing;
  let [first, second, third] = ["", "", ""];

  beforeEach(async () => {
    first = signing.id;
    second = (await requestAsset()).transactionId;
    third = (await requestAsset()).transactionId;
  });

  const offered = () => Promise.all([first, second, third].map(async (id) => (await toSign(id)).nonce));
  const sign = async (id: string, changes = {}) => signAs(signing.author, await toSign(id), changes);

  it("follow each other by the time of the request, and each names the lowest free one", async () => {
    expect(await offered()).to.deep.equal([0, 1, 2]);
    for (const id of [first, second, third]) expect((await read(id)).value.nextNonce).to.equal(0);
  });

  it("can be signed in a row, and the chain executes them all", async () => {
    const raws = await Promise.all([first, second, third].map((id) => sign(id)));
    for (const [index, id] of [first, second, third].entries()) {
      expect((await submitRaw(raws[index], id)).status).to.equal(202);
    }
    for (const raw of raws) {
      const { status } = await signing.anvil.receipt(await send(raw));
      expect(status).to.equal("0x1");
    }
  });

  it("stay when one is signed, and later ones keep behind it", async () => {
    expect((await submitRaw(await sign(first), first)).status).to.equal(202);
    expect(await offered()).to.deep.equal([0, 1, 2]);
    expect((await read(third)).value.nextNonce).to.equal(1);
  });

  it("go around the nonce of a later one that was signed first", async () => {
    const raw = await sign(third, { nonce: 0 });
    expect((await submitRaw(raw, third)).status).to.equal(202);
    expect(await offered()).to.deep.equal([1, 2, 0]);
  });

  it("move down when an earlier one is refused", async () => {
    const { refusal } = (await read(first)).value;
    await refuse(await signing.author.signTypedData(refusal), first);
    expect([(await toSign(second)).nonce, (await toSign(third)).nonce]).to.deep.equal([0, 1]);
  });

  it("move down when an earlier one expires", async () => {
    await signing.api.pool.query("update service.requests set expires_at = now() where id = $1", [second]);
    expect((await toSign(third)).nonce).to.equal(1);
  });

  it("move down when an earlier one is reported as sent by the wallet, and its transaction counts then", async () => {
    const raw = await sign(first);
    await signing.api.post(`/transactions/${first}/submit`, { transactionHash: keccak256(raw) });
    expect((await toSign(second)).nonce).to.equal(0);
    await send(raw);
    expect((await toSign(second)).nonce).to.equal(1);
  });

  it("are not moved by requests for another author", async () => {
    const another = await newAuthor();
    expect((await toSign((await requestAsset(another.address)).transactionId)).nonce).to.equal(0);
    expect(await offered()).to.deep.equal([0, 1, 2]);
  });

  it("propose fees that replace a signed transaction which is not in a block", async () => {
    const raw = await sign(first, { maxFeePerGas: 9_000_000_001n, maxPriorityFeePerGas: 7_000_000_000n });
    await submitRaw(raw, first);
    const again = await toSign(first);
    expect(again.nonce).to.equal(0);
    expect(BigInt(again.maxFeePerGas)).to.equal(9_900_000_002n);
    expect(BigInt(again.maxPriorityFeePerGas)).to.equal(7_700_000_000n);
    expect((await submitRaw(await sign(first), first)).status).to.equal(202);
  });

  it("propose all that a replacement needs, also while the node has the transaction", async () => {
    await signing.anvil.rpc("evm_setAutomine", [false]);
    const raw = await sign(first);
    await submitRaw(raw, first);
    await send(raw);
    const { value } = await read(first);
    expect(value).to.include({ nonce: 0, nextNonce: 0, warning: null });
    const faster = await signAs(signing.author, value);
    expect((await submitRaw(faster, first)).status).to.equal(202);
    expect(await send(faster)).to.equal(keccak256(faster));
    await signing.anvil.rpc("evm_setAutomine", [true]);
    await signing.anvil.mine();
    const receipt = await signing.anvil.receipt(keccak256(faster));
    expect(receipt.status).to.equal("0x1");
  });

  it("are not moved by what another tenant asks of the author, until the author has signed it", async () => {
    const foreign = (await requestAsset(undefined, { key: keys["tenant-b"] })).transactionId;
    const fourth = (await requestAsset()).transactionId;
    expect((await toSign(foreign)).nonce).to.equal(0);
    expect((await toSign(fourth)).nonce).to.equal(3);
    expect((await submitRaw(await sign(foreign), foreign)).status).to.equal(202);
    expect(await offered()).to.deep.equal([1, 2, 3]);
    expect((await toSign(fourth)).nonce).to.equal(4);
  });

  it("of one that is abandoned block nothing that is signed alone with the next nonce", async () => {
    for (const id of [third, second]) {
      const { nextNonce } = (await read(id)).value;
      expect((await submitRaw(await sign(id, { nonce: nextNonce }), id)).status).to.equal(202);
    }
    expect(await offered()).to.deep.equal([2, 1, 0]);
  });

  it("are refused with a gap that names the request in the way, until that one is refused", async () => {
    const message = expectError(await submitRaw(await sign(second), second), 409, "NONCE_GAP").message;
    expect(message).to.contain(first).and.contain("nextNonce").and.contain(`/transactions/${first}/revoke`);
    const behindTwo = expectError(await submitRaw(await sign(third), third), 409, "NONCE_GAP").message;
    expect(behindTwo).to.contain(first).and.not.contain(second);
    const { refusal } = (await read(first)).value;
    await refuse(await signing.author.signTypedData(refusal), first);
    expect((await submitRaw(await sign(second), second)).status).to.equal(202);
  });

  it("are refused with a gap that names nobody where nobody stands in the way, or another tenant's", async () => {
    const foreign = (await requestAsset(undefined, { key: keys["tenant-b"] })).transactionId;
    for (const id of [first, foreign]) {
      const raw = await sign(id, { nonce: 7 });
      const { message } = expectError(await submitRaw(raw, id), 409, "NONCE_GAP");
      expect(message).to.contain("nextNonce").and.not.contain("stands before it");
    }
  });

  it("tell nothing of another tenant's request but its nonce", async () => {
    const foreign = (await requestAsset(undefined, { key: keys["tenant-b"] })).transactionId;
    const { assetId } = (await read(foreign)).value;
    await submitRaw(await sign(foreign), foreign);
    const text = JSON.stringify([
      (await read(third)).value,
      expectError(await submitRaw(await sign(third, { nonce: 0 }), third), 409, "NONCE_IN_USE"),
    ]);
    expect(text).not.to.contain(foreign).and.not.to.contain(assetId);
  });
});
