import type { z } from "zod";
import type { assetAnswer, creation } from "../../api/assets/schema.ts";
import type { statusAnswer } from "../../api/assets/state-schema.ts";
import type { eventAnswer } from "../../api/events/schema.ts";
import type { inboxAnswer } from "../../api/inbox/schema.ts";
import type { linkChangeAnswer, linkSetAnswer } from "../../api/links/schema.ts";
import type { proofAnswer } from "../../api/proofs/schema.ts";
import type { publicAssetAnswer, publicLinksAnswer } from "../../api/public/schema.ts";
import type { indexStatusAnswer } from "../../api/service/schema.ts";
import type {
  refusalAnswer,
  submission,
  submissionAnswer,
  transactionAnswer,
  transactionStatusAnswer,
} from "../../api/transactions/schema.ts";
import type {
  initialisationAnswer,
  walletAnswer,
  walletConfirmation,
  walletLabels,
} from "../../api/wallets/schema.ts";
import type { deliveryAnswer } from "../../api/webhooks/delivery-schema.ts";
import type { webhookAnswer, webhookWithSecret } from "../../api/webhooks/schema.ts";
import type * as client from "../../client/src/client.ts";
import type { Envelope } from "../../client/src/types/envelope.ts";
import type * as service from "../../domain/envelope.ts";
import type { ErrorCode, ErrorDetail } from "../../domain/errors.ts";
import type { EventKind } from "../../domain/events/kinds.ts";
import type { AssetState } from "../../domain/request/state.ts";

// The client repeats the types of the API, so that it needs no package. `npm run check` fails here where a type of the
// client differs from the schema that the service parses or answers with.

/** All fields of a type in one object, since `A & B` and the same fields in one object are told apart below. */
type Flat<T> = T extends unknown[]
  ? Flat<T[number]>[]
  : T extends readonly unknown[]
    ? readonly Flat<T[number]>[]
    : T extends object
      ? { [Field in keyof T]: Flat<T[Field]> }
      : T;

/** Whether two types are the same to the compiler: optional fields, null and readonly included. */
type Same<A, B> =
  (<T>() => T extends Flat<A> ? 1 : 2) extends <T>() => T extends Flat<B> ? 1 : 2 ? true : false;

export type ClientTypes = Holds<
  [
    Same<client.Asset, z.output<typeof assetAnswer>>,
    Same<client.AssetCreation, z.input<typeof creation>>,
    Same<client.AssetStatus, z.output<typeof statusAnswer>>,
    Same<client.EventKind, EventKind>,
    Same<client.RegistryEvent, z.output<typeof eventAnswer>>,
    Same<client.LinkChange, z.output<typeof linkChangeAnswer>>,
    Same<client.LinkSet, z.output<typeof linkSetAnswer>>,
    Same<client.Proof, z.output<typeof proofAnswer>>,
    Same<client.PublicAsset, z.output<typeof publicAssetAnswer>>,
    Same<client.PublicLinks, z.output<typeof publicLinksAnswer>>,
    Same<client.InboxEntry[], z.output<typeof inboxAnswer>>,
    Same<client.Transaction, z.output<typeof transactionAnswer>>,
    Same<client.TransactionStatus, z.output<typeof transactionStatusAnswer>>,
    Same<client.Submission, z.input<typeof submission>>,
    Same<client.SubmissionOutcome, z.output<typeof submissionAnswer>>,
    Same<client.RefusalOutcome, z.output<typeof refusalAnswer>>,
    Same<client.ServiceStatus, z.output<typeof indexStatusAnswer>>,
    Same<client.Wallet, z.output<typeof walletAnswer>>,
    Same<client.WalletLabels, z.input<typeof walletLabels>>,
    Same<client.WalletInitialisation, z.output<typeof initialisationAnswer>>,
    Same<client.WalletConfirmation, z.input<typeof walletConfirmation>>,
    Same<client.Webhook, z.output<typeof webhookAnswer>>,
    Same<client.Delivery, z.output<typeof deliveryAnswer>>,
    Same<client.WebhookWithSecret, z.output<typeof webhookWithSecret>>,
    Same<client.AssetState, AssetState>,
    Same<client.ErrorCode, ErrorCode>,
    Same<client.ErrorDetail, ErrorDetail>,
    Same<Envelope, service.Envelope>,
  ]
>;

type Holds<_ extends true[]> = true;

/** Each of these must be refused. */
export type Differences = [
  // @ts-expect-error: a field is missing
  Holds<[Same<{ a: string }, { a: string; b: string }>]>,
  // @ts-expect-error: an optional field is missing
  Holds<[Same<{ a: string }, { a: string; b?: string | undefined }>]>,
  // @ts-expect-error: a field may be null
  Holds<[Same<{ a: string }, { a: string | null }>]>,
  // @ts-expect-error: a field is optional
  Holds<[Same<{ a: string }, { a?: string }>]>,
  // @ts-expect-error: a list may be changed
  Holds<[Same<{ a: readonly string[] }, { a: string[] }>]>,
  // @ts-expect-error: one value more, in a list
  Holds<[Same<{ a: ("x" | "y")[] }, { a: ("x" | "y" | "z")[] }>]>,
];
