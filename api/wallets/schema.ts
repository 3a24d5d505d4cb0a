import { z } from "zod";
import { limits } from "../../domain/limits.ts";
import { address, optionalText, signature } from "../operation/fields.ts";
import { addressAnswer, timeAnswer, uuidAnswer } from "../operation/schema-words.ts";

/** A connected wallet (docs/spec.md §2.6). */
export const walletAnswer = z
  .strictObject({
    id: uuidAnswer,
    name: z.string(),
    description: z.string(),
    ethereumAddress: addressAnswer,
  })
  .meta({ id: "Wallet" });

export const walletLabels = z
  .strictObject({ name: optionalText(limits.note), description: optionalText(limits.note) })
  .meta({ id: "WalletLabels", examples: [{ name: "Office", description: "hardware wallet" }] });

/** A wallet initialisation record (docs/spec.md §2.7). */
export const initialisationAnswer = z
  .strictObject({
    id: uuidAnswer.meta({ description: "Id that the wallet will have" }),
    token: z.string(),
    technology: z.literal("ETH"),
    expiration: timeAnswer,
    serializedValue: z.string().meta({ description: "EIP-712 typed data to sign, as JSON" }),
    userId: z.string(),
  })
  .meta({ id: "WalletInitialisation" });

export const walletConfirmation = z
  .strictObject({
    ethereumAddress: address.meta({ description: "The address to connect" }),
    signature: signature.meta({ description: "That address's, over `serializedValue`" }),
  })
  .meta({ id: "WalletConfirmation" });
