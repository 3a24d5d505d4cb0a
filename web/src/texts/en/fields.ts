import type { AssetText } from "asset-registry-proof";

/** Names of an asset's texts on every page, which are those that wallets show by docs/clear-signing. */
export const fields = {
  name: "Name",
  data: "Data",
  fileName: "File name",
  fileType: "File type",
  fileSize: "File size in bytes",
  method: "Hash method",
  hash: "Hash of the file",
  uri: "Where the file is",
} satisfies Record<AssetText, string>;
