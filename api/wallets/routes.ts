import { z } from "zod";
import { removeWallet, type Wallet, walletsOf } from "../../db/service/wallets.ts";
import { readRoute, writeRoute } from "../operation/define-route.ts";
import { uuid } from "../operation/fields.ts";
import { isoTime } from "../operation/time.ts";
import { forWallets } from "../transactions/typed-data-json.ts";
import {
  commitConnection,
  commitStart,
  prepareConnection,
  prepareStart,
  walletNotFound,
} from "./connection.ts";
import { initialisationAnswer, walletAnswer, walletConfirmation, walletLabels } from "./schema.ts";

const params = z.object({ walletId: uuid });

export const walletRoutes = [
  readRoute({
    method: "get",
    path: "/wallets/",
    summary: "List the wallets of the user",
    access: "bearer",
    status: 200,
    answer: z.array(walletAnswer),
    errors: [],
    async handle({ caller }, { pool }) {
      const wallets = await walletsOf(pool, caller.user);
      return { value: wallets.map(viewWallet), meta: { size: wallets.length } };
    },
  }),

  writeRoute({
    method: "post",
    path: "/wallets/",
    summary: "Start to connect an address to the user: answers what its holder signs",
    access: "bearer",
    body: walletLabels,
    bodyOptional: true,
    status: 201,
    answer: initialisationAnswer,
    errors: ["TOO_MANY_OPEN_INITIALISATIONS", "NODE_UNAVAILABLE", "NOT_READY"],
    prepare: ({ caller, body }, services) => prepareStart(services, caller.user, body),
    async commit(tx, plan) {
      await commitStart(tx, plan);
      const { id, token, expiresAt, user } = plan.started;
      const value = {
        id,
        token,
        technology: "ETH" as const,
        expiration: isoTime(expiresAt),
        serializedValue: JSON.stringify(forWallets(plan.toSign)),
        userId: user.subject,
      };
      return { answer: { value }, event: { kind: "wallet.started", about: [id] } };
    },
  }),

  writeRoute({
    method: "post",
    path: "/wallets/{walletId}/confirm",
    summary: "Complete the connection with the signature of the address",
    access: "bearer",
    params,
    notFound: "WALLET_NOT_FOUND",
    body: walletConfirmation,
    status: 200,
    answer: walletAnswer,
    errors: [
      "WALLET_NOT_FOUND",
      "WALLET_TAKEN",
      "TOO_MANY_WALLETS",
      "INITIALISATION_USED",
      "INITIALISATION_EXPIRED",
      "SIGNATURE_INVALID",
      "NODE_UNAVAILABLE",
      "NOT_READY",
    ],
    prepare: ({ caller, params: { walletId }, body: { ethereumAddress: address, signature } }, services) =>
      prepareConnection(services, caller.user, walletId, { address, signature }),
    async commit(tx, plan) {
      const wallet = await commitConnection(tx, plan);
      const { id, address } = wallet;
      return {
        answer: { value: viewWallet(wallet) },
        event: { kind: "wallet.connected", about: [id], address },
      };
    },
  }),

  writeRoute({
    method: "delete",
    path: "/wallets/{walletId}",
    summary: "Remove a wallet from the user",
    access: "bearer",
    params,
    notFound: "WALLET_NOT_FOUND",
    status: 200,
    answer: z.null(),
    errors: ["WALLET_NOT_FOUND"],
    prepare: async ({ caller: { user }, params: { walletId: id } }) => ({ user, id }),
    async commit(tx, { user, id }) {
      const address = await removeWallet(tx, user, id);
      if (address === undefined) throw walletNotFound(id);
      return { answer: { value: null }, event: { kind: "wallet.removed", about: [id], address } };
    },
  }),
];

function viewWallet({ address: ethereumAddress, ...wallet }: Wallet) {
  return { ...wallet, ethereumAddress };
}
