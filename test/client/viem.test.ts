import { expect } from "chai";
import { getAddress } from "viem";
import { createClient } from "../../client/src/client.ts";
import { keys } from "../support/api.ts";
import { owner } from "../support/chain/accounts.ts";
import { type Service, startService } from "../support/service.ts";

/** That this compiles is half of what it shows: nothing is cast on the way to viem. */
describe("what the client answers, given to viem as it is", () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const client = () => createClient({ url: service.url, apiKey: keys["tenant-a"] });

  it("is a transaction to sign", async () => {
    const { id, author, transactionId } = await client().createAsset({
      name: "Lease",
      author: owner.address,
    });
    expect(getAddress(author)).to.equal(owner.address);
    const given = await client().transaction(transactionId);
    const { to, data, value, gas, nextNonce: nonce, chainId, maxFeePerGas, maxPriorityFeePerGas } = given;
    if (!to || !data || !gas || !maxFeePerGas || !maxPriorityFeePerGas || nonce === null) {
      return expect.fail("there is nothing to sign");
    }
    const signedTransaction = await owner.signTransaction({
      chainId,
      to,
      data,
      nonce,
      value: BigInt(value ?? 0),
      gas: BigInt(gas),
      maxFeePerGas: BigInt(maxFeePerGas),
      maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
    });
    await client().submit(transactionId, { signedTransaction });
    const { state } = await client().waitForState(transactionId, "TxSignatureSubmitted");
    expect(state).to.not.equal("Received");
    expect((await client().links(id)).to).to.deep.equal([]);
  });

  it("is typed data to sign", async () => {
    const { transactionId } = await client().createAsset({ name: "No", author: owner.address });
    const { refusal } = await client().transaction(transactionId);
    if (refusal === null) return expect.fail("there is nothing to refuse");
    const signature = await owner.signTypedData(refusal);
    expect((await client().refuse(transactionId, signature)).state).to.equal("RevokedByUser");
  });
});
