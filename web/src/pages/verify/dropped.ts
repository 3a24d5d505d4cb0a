/** Most bytes of a proof that are read, one more than the verifier takes, so that it says itself that it is too large. */
const mostDocumentBytes = 4 * 1024 * 1024 + 1;

/** A proof as it was dropped. */
export type ProofDocument = { name: string; bytes: Uint8Array };

/** What was dropped: a file to check, its proof, or both in any order. */
export type Dropped = { file?: File; document?: ProofDocument };

/** Tells a proof from the file to check by its content; of two of a kind the last one counts. */
export async function readDropped(files: readonly File[]): Promise<Dropped> {
  const dropped: Dropped = {};
  for (const file of files) {
    const bytes = await readProofBytes(file);
    if (bytes === undefined) dropped.file = file;
    else dropped.document = { name: file.name, bytes };
  }
  return dropped;
}

/** The bytes of a file that calls itself a proof; a damaged one is a proof, too. */
async function readProofBytes(file: File): Promise<Uint8Array | undefined> {
  try {
    const start = new Uint8Array(await file.slice(0, 64).arrayBuffer());
    if (!beginsObject(start)) return undefined;
    const bytes = new Uint8Array(await file.slice(0, mostDocumentBytes).arrayBuffer());
    return new TextDecoder("latin1").decode(bytes).includes('"asset-registry-proof"') ? bytes : undefined;
  } catch {
    return undefined; // whoever hashes it says why it cannot be read
  }
}

/** Whether the first character is the brace of a JSON object, perhaps after a byte order mark and white space. */
function beginsObject(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => ![0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].includes(byte));
  return first === 0x7b;
}
