import { type LocalAccount, parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { inTransaction } from "../../../db/core/pool.ts";
import { gaslessTypedData } from "../../../domain/asset/gasless.ts";
import { signForRelayer } from "../database/writes.ts";
import { eventually } from "../eventually.ts";
import { startLiarRig } from "./liar-rig.ts";

export type RelayerRig = Awaited<ReturnType<typeof startRelayerRig>>;

export type AttemptRow = {
  nonce: number;
  request: string | null;
  filler: boolean;
  raw: string;
  maxFee: bigint;
};

/** A rig whose indexer relays for an author without ether. */
export async function startRelayerRig({
  dailyBudget = parseEther("0.05"),
  maxFee,
}: {
  dailyBudget?: bigint;
  maxFee?: bigint;
} = {}) {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  const author = privateKeyToAccount(generatePrivateKey());
  const rig = await startLiarRig({ relayer: { key, dailyBudget, maxFee } });
  const fund = (of: LocalAccount) => rig.chain.setBalance({ address: of.address, value: parseEther("1") });
  await fund(account);

  /** Stores the author's signature as the API does. */
  async function relay(id: string, by: LocalAccount = author): Promise<void> {
    const signature = await by.signTypedData(gaslessTypedData(await rig.find(id)));
    await inTransaction(rig.pool, (tx) => signForRelayer(tx, id, { signature }));
  }

  async function signedCreation(by: LocalAccount = author) {
    const creation = await rig.requestCreation(undefined, by);
    await relay(creation.id, by);
    return creation;
  }

  /** Every transaction that the relayers signed, in the order of their nonces. */
  async function attempts(): Promise<AttemptRow[]> {
    const { rows } = await rig.pool.query(
      `select nonce, request_id as request, filler, '0x' || encode(raw, 'hex') as raw, max_fee
       from service.relayer_attempts join service.relayer_nonces using (relayer, nonce)
       order by relayer, nonce, attempt`,
    );
    return rows.map(({ max_fee, ...row }) => ({ ...row, maxFee: max_fee }));
  }

  const obstacle = async (id: string): Promise<string | null> =>
    (await rig.pool.query("select obstacle from service.relays where request_id = $1", [id])).rows[0]
      ?.obstacle;

  return {
    ...rig,
    key,
    account,
    author,
    fund,
    relay,
    signedCreation,
    attempts,
    waitsFor: (id: string, code: string) =>
      eventually(
        `it waiting: ${code}`,
        () => obstacle(id),
        (said) => said === code,
      ),
    /** Transactions of the relayer in blocks. */
    sent: (of = account) => rig.chain.getTransactionCount({ address: of.address }),
    /** Transactions of all accounts that wait for a block. */
    pending: async () => Number((await rig.anvil.rpc<{ pending: string }>("txpool_status")).pending),
    /** Nothing of anybody's reaches the node from now on, until `rig.liar.honest()`. */
    holdBack: () =>
      rig.liar.on("eth_sendRawTransaction", () => ({ error: { code: -32000, message: "not now" } })),
  };
}
