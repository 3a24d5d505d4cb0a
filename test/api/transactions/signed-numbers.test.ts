import { expect } from "chai";
import { concat, type Hex, keccak256, numberToHex, toRlp } from "viem";
import { expectError } from "../../support/api.ts";
import { useSigning } from "../../support/rigs/signing-rig.ts";

/** Numbers of a signed transaction are RLP of any length: what no chain knows is refused by name. */
describe("numbers in a signed transaction", () => {
  const signing = useSigning();
  const rlp = (value: bigint): Hex => (value === 0n ? "0x" : numberToHex(value));

  /** An EIP-1559 transaction with these numbers, signed by the author, whatever a library thinks of them. */
  async function signed(
    numbers: Partial<Record<"chainId" | "nonce" | "tip" | "fee" | "gas" | "value", bigint>>,
  ) {
    const { to, data, nonce, gas, chainId, maxFeePerGas, maxPriorityFeePerGas } = await signing.toSign();
    const fields = [
      rlp(numbers.chainId ?? BigInt(chainId)),
      rlp(numbers.nonce ?? BigInt(nonce)),
      rlp(numbers.tip ?? BigInt(maxPriorityFeePerGas)),
      rlp(numbers.fee ?? BigInt(maxFeePerGas)),
      rlp(numbers.gas ?? BigInt(gas ?? 300_000)),
      to,
      rlp(numbers.value ?? 0n),
      data,
      [],
    ] as const;
    const digest = keccak256(concat(["0x02", toRlp(fields as never)]));
    const signature = (await signing.author.sign?.({ hash: digest })) ?? "0x";
    const [r, s] = [BigInt(signature.slice(0, 66)), BigInt(`0x${signature.slice(66, 130)}`)];
    const yParity = BigInt(`0x${signature.slice(130)}`) - 27n;
    return concat(["0x02", toRlp([...fields, rlp(yParity), rlp(r), rlp(s)] as never)]);
  }

  const within = [31n, 53n, 63n, 64n, 255n].flatMap((bits) => [2n ** bits, 2n ** bits - 1n]);
  const beyond = [256n, 257n, 2_000n, 400_000n].map((bits) => 2n ** bits);

  for (const field of ["chainId", "nonce", "tip", "fee", "gas", "value"] as const) {
    const numbers = (size: bigint) => (field === "tip" ? { tip: size, fee: size } : { [field]: size });

    it(`${field} as large as the form allows is taken or refused for what it means`, async () => {
      for (const size of within) {
        const { status } = await signing.submitRaw(await signed(numbers(size)));
        expect(status, String(size)).to.be.within(200, 499);
      }
    });

    it(`${field} of more than 256 bits is malformed, in a few words`, async () => {
      for (const size of beyond) {
        const answer = await signing.submitRaw(await signed(numbers(size)));
        const error = expectError(answer, 400, "SIGNED_TRANSACTION_MALFORMED");
        expect(error.message.length).to.be.below(200);
      }
    });
  }
});
