import { z } from "zod";
import { inTransaction } from "../../db/core/pool.ts";
import { removeWallet, type Wallet, walletsOf } from "../../db/service/wallets.ts";
import { uuid } from "../operation/fields.ts";
import { route } from "../operation/route.ts";
import { isoTime } from "../operation/time.ts";
import { forWallets } from "../transactions/typed-data-json.ts";
import { confirmConnection, startConnection, walletNotFound } from "./connection.ts";
import { initialisationAnswer, walletAnswer, walletConfirmation, walletLabels } from "./schema.ts";

const params = z.object({ walletId: uuid });

export const walletRoutes = [
  route({
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

  route({
    method: "post",
    path: "/wallets/",
    summary: "Start to connect an address to the user: answers what its holder signs",
    access: "bearer",
    body: walletLabels,
    bodyOptional: true,
    status: 201,
    answer: initialisationAnswer,
    errors: ["TOO_MANY_OPEN_INITIALISATIONS", "NODE_UNAVAILABLE", "NOT_READY"],
    async handle({ caller, body, keep }, services) {
      return await startConnection(services, caller.user, body, (db, started, toSign) =>
        keep(
          db,
          {
            value: {
              id: started.id,
              token: started.token,
              technology: "ETH" as const,
              expiration: isoTime(started.expiresAt),
              serializedValue: JSON.stringify(forWallets(toSign)),
              userId: started.user.subject,
            },
          },
          { kind: "wallet.started", about: [started.id] },
        ),
      );
    },
  }),

  route({
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
    async handle({ caller, params: { walletId }, body, keep }, services) {
      const proof = { address: body.ethereumAddress, signature: body.signature };
      return await confirmConnection(services, caller.user, walletId, proof, (db, wallet) =>
        keep(
          db,
          { value: viewWallet(wallet) },
          { kind: "wallet.connected", about: [wallet.id], address: wallet.address },
        ),
      );
    },
  }),

  route({
    method: "delete",
    path: "/wallets/{walletId}",
    summary: "Remove a wallet from the user",
    access: "bearer",
    params,
    notFound: "WALLET_NOT_FOUND",
    status: 200,
    answer: z.null(),
    errors: ["WALLET_NOT_FOUND"],
    handle: ({ caller, params: { walletId }, keep }, { pool }) =>
      inTransaction(pool, async (tx) => {
        const address = await removeWallet(tx, caller.user, walletId);
        if (address === undefined) throw walletNotFound(walletId);
        return await keep(tx, { value: null }, { kind: "wallet.removed", about: [walletId], address });
      }),
  }),
];

function viewWallet({ address: ethereumAddress, ...wallet }: Wallet) {
  return { ...wallet, ethereumAddress };
}
