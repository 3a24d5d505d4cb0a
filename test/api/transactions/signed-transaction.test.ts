import { expect } from "chai";
import {
  fromRlp,
  type Hex,
  parseTransaction,
  serializeTransaction,
  type TransactionSerialized,
  toRlp,
} from "viem";
import { expectError, fieldsOf } from "../../support/api.ts";
import { other } from "../../support/chain/accounts.ts";
import { useSigning } from "../../support/rigs/signing-rig.ts";
import { malleable, signAs } from "../../support/sign.ts";

describe("POST /transactions/{transactionId}/submit: what is signed", () => {
  const signing = useSigning();
  const { read, toSign, submit, submitRaw, requestAsset, stored } = signing;

  it("refuses a transaction that is signed for another chain, and names both", async () => {
    const { author } = signing;
    const before = await stored();
    const error = expectError(
      await submitRaw(await signAs(author, await toSign(), { chainId: 1 })),
      422,
      "WRONG_CHAIN",
    );
    expect(error.message).to.equal("It is signed for chain 1, and this registry is on chain 31337.");
    expect(await stored()).to.equal(before);
  });

  it("refuses a transaction that is valid on every chain", async () => {
    const { author } = signing;
    const raw = await signAs(author, await toSign(), {
      type: "legacy",
      chainId: undefined,
      gasPrice: 10_000_000_000n,
      maxFeePerGas: undefined,
      maxPriorityFeePerGas: undefined,
    } as object);
    expectError(await submitRaw(raw), 422, "REPLAYABLE_TRANSACTION");
  });

  it("refuses what somebody else than the author signed, and the state stays", async () => {
    const { author } = signing;
    const error = expectError(await submitRaw(await signAs(other, await toSign())), 422, "SIGNER_MISMATCH");
    expect(error.message).to.contain(other.address).and.contain(author.address);
    expect((await read()).value.state).to.equal("Received");
    const own = await signAs(author, await toSign());
    const contradiction = await submit({ signedTransaction: own, signerAddress: other.address });
    expectError(contradiction, 422, "SIGNER_MISMATCH");
    expect((await read()).value.state).to.equal("Received");
  });

  it("takes what the key of an account with delegated code (EIP-7702) signed, and so does the chain", async () => {
    await signing.anvil.rpc("anvil_setCode", [
      signing.author.address,
      `0xef0100${signing.api.registry.address.slice(2)}`,
    ]);
    const raw = await signAs(signing.author, await toSign());
    expect((await submitRaw(raw)).status).to.equal(202);
    expect((await signing.anvil.receipt(await signing.send(raw))).status).to.equal("0x1");
  });

  it("refuses broken bytes, each with its own message", async () => {
    const { author } = signing;
    const raw = await signAs(author, await toSign());
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

  it("takes no numbers that no chain takes, and says what is wrong", async () => {
    const given = await toSign();
    const before = await stored();
    const huge = 2n ** 64n - 1n;
    const tipped = { maxFeePerGas: huge, maxPriorityFeePerGas: 1n };
    const raw = await signAs(signing.author, given, tipped);
    const items = fromRlp(`0x${raw.slice(4)}`) as Hex[];
    const overpaid = toRlp(
      items.map((item, index) => (index === 2 ? (`0x${"ff".repeat(9)}` as const) : item)),
    );
    const { message } = expectError(
      await submitRaw(`0x02${overpaid.slice(2)}`),
      400,
      "SIGNED_TRANSACTION_MALFORMED",
    );
    expect(message).to.contain("higher priority fee");
    for (const place of [1, 3, 4]) {
      for (const number of [`0x${"ff".repeat(8)}`, `0x${"ff".repeat(40)}`] as const) {
        const changed = toRlp(items.map((item, index) => (index === place ? number : item)));
        const { status } = await submitRaw(`0x02${changed.slice(2)}`);
        expect(status).to.be.within(400, 499);
      }
    }
    expect(await stored()).to.equal(before);
  });

  it("refuses another encoding of the same transaction", async () => {
    const { author } = signing;
    const raw = await signAs(author, await toSign(), { nonce: 5 });
    const items = fromRlp(`0x${raw.slice(4)}`) as Hex[];
    const padded = toRlp(items.map((item, index) => (index === 1 ? "0x0005" : item)));
    const answer = await submitRaw(`0x02${padded.slice(2)}`);
    const { message } = expectError(answer, 400, "SIGNED_TRANSACTION_MALFORMED");
    expect(message).to.contain("canonical");
  });

  it("refuses the malleable twin of a transaction", async () => {
    const { author } = signing;
    const raw = await signAs(author, await toSign());
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

  it("refuses a transaction that is not the generated call, and says what differs", async () => {
    const { author } = signing;
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
        await submitRaw(await signAs(author, given, changes)),
        422,
        "TRANSACTION_MISMATCH",
      );
      for (const name of named) expect(message).to.contain(name);
    }
    expect(await stored()).to.equal(before);
  });

  it("refuses the transaction of another asset", async () => {
    const { author } = signing;
    const another = await requestAsset();
    const raw = await signAs(author, await toSign(another.transactionId));
    expectError(await submitRaw(raw), 422, "TRANSACTION_MISMATCH");
  });
});
