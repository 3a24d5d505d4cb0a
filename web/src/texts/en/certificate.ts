export const certificate = {
  title: "Certificate of registration",
  lead: "One page to print or to keep as PDF. Whoever has it can check the registration without this service.",
  print: "Print",
  back: "Back to the asset",
  heading: "Certificate of registration",
  registeredBefore: "This asset was registered on",
  registeredAfter: "under the signature of its author.",
  notFinal:
    "Its block is not final yet, so it may still be undone. Print the certificate when the asset is confirmed.",
  shortened: "… (shortened)",
  shortenedHint: "Texts that are too long for this page are shortened. The proof file holds them whole.",
  inexact: "Some bytes of the texts are no text and show as �: the asset id cannot be made from this page.",
  qr: "Link to the page of this asset",
  scan: "The asset's page",
  asOf: (block: number) => `as of block ${block}`,
  position: (log: number) => `log ${log} of its transaction`,
  limits:
    "It shows that the author's address registered these texts at this time, neither that what they say is true nor who holds the address.",
  howTo: "How to check this",
  steps: (method: string | undefined, registry: string, chain: string, type: string) => [
    method === undefined
      ? "No hash of a file that can be compared was registered: the texts above are all that this asset says."
      : `Hash the file by ${method}: every digit must be that of the hash above. Most systems have a program for it, such as sha256sum.`,
    `Ask any node of ${chain} for the receipt of the transaction (eth_getTransactionReceipt): it has a log of the registry ${registry} with the asset id and the author, in the block above.`,
    `The asset id is the EIP-712 digest of ${type} in the domain “Asset Registry”, version 1, of this chain and registry. A text that is not above is empty. Whoever changes one letter gets another id.`,
    "The proof file, from the asset's page, is checked without any service by the open program asset-registry against the hash of a block that you trust.",
  ],
};
