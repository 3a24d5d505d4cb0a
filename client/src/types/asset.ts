import type { Hex } from "./hex.ts";
import type { AssetState, HistoryEntry, StateDetails } from "./state.ts";

/** An asset to register; an optional text that is empty counts as absent. */
export type AssetCreation = {
  /** Visible to everyone. */
  name: string;
  /** Address that will own the asset and sign its creation. */
  author: string;
  /** Free text, or a structure as JSON or XML. */
  data?: string | undefined;
  fileName?: string | undefined;
  /** Such as pdf, txt or jpg. */
  fileType?: string | undefined;
  /** Size of the file in bytes, in decimal digits. */
  fileSize?: string | undefined;
  /** How `hash` was computed; any text, SHA2-256 is best. */
  method?: string | undefined;
  /** Hash of the file, kept as given. */
  hash?: string | undefined;
  /** Where the file can be had. */
  uri?: string | undefined;
};

/** One text of an asset; `key` is the field's name. */
export type CustomDefinitionItem = {
  key: string;
  type: string;
  value: string;
  name: string;
  sectionsPath: string;
  sectionsPathNames: string;
};

export type Asset = {
  /** EIP-712 digest of author, salt and texts. */
  id: Hex;
  author: Hex;
  salt: Hex;
  name: string;
  description: string;
  language: string;
  jurisdiction: string;
  unitOfMeasure: string;
  sparkFactor: string;
  /** An object as JSON. */
  sparkFactorModifier: string;
  assetClass: string;
  /** ISO 8601 with +00:00. */
  createdOn: string;
  /** ISO 8601 with +00:00. */
  updatedOn: string;
  /** EIP-712 hash of author, salt and texts: what the chain commits to. */
  blockchainHash: Hex;
  /** `blockchainHash` without 0x, computed from the database; other digits mean that its row was changed. */
  documentDbHash: string;
  /** Id of the transaction to sign; of an asset made without this service, the hash of its transaction. */
  transactionId: string;
  /** The console's page where the author signs or refuses it; absent of an asset made without this service. */
  signUrl?: string | undefined;
  customDefinitionItems: CustomDefinitionItem[];
  /** Assets that it points to now, in the order of linking: the first of them where they are many. */
  assetLinkIds: Hex[];
  state: AssetState;
  /** Texts of which only the beginning is shown; absent where all are whole. */
  truncated?:
    | ("name" | "data" | "fileName" | "fileType" | "fileSize" | "method" | "hash" | "uri")[]
    | undefined;
};

export type AssetStatus = StateDetails & {
  id: Hex;
  state: AssetState;
  transactionId: string;
  /** The console's page where the author signs or refuses it; absent of an asset made without this service. */
  signUrl?: string | undefined;
  confirmations?: number | undefined;
  requiredConfirmations: number | "finalized";
  history: HistoryEntry[];
};
