import { AbiCoder, getAddress, keccak256, TypedDataEncoder } from "ethers";
import type { Database } from "../../db/core/pool.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";

type AssetRow = {
  id: string;
  author: string;
  salt: string;
  place: string;
  texts: string[];
  raw: string | null;
  content_hash: string;
};

const hex = (column: string) => `'0x' || encode(${column}, 'hex')`;
const place = (prefix = "") =>
  `concat_ws(' ', ${prefix || "block_"}${prefix ? "block" : "number"}, ${prefix}transaction_index, ` +
  `${prefix}log_index, ${hex(`${prefix}transaction_hash`)})`;
const text = (column: string) => `'0x' || encode(convert_to(${column}, 'UTF8'), 'hex')`;
const texts = ["name", "data", "file_name", "file_type", "file_size", "method", "hash", "uri"].map(text);

/** Every row that the chain decides, written as the oracle writes it. */
export async function indexRows(db: Database, registry: Registry): Promise<string[]> {
  const domain = TypedDataEncoder.hashDomain({
    name: "Asset Registry",
    version: "1",
    chainId: registry.chainId,
    verifyingContract: registry.address,
  });
  const assets = await db.query<AssetRow>(
    `select ${hex("id")} as id, ${hex("author")} as author, ${hex("salt")} as salt, ${place()} as place,
       array[${texts}] as texts, ${hex("raw_details")} as raw, ${hex("content_hash")} as content_hash
     from chain.assets`,
  );
  const others = await db.query<{ line: string }>(
    `select concat_ws(' ', 'link', ${hex("parent")}, ${hex("child")}, nth, ${place()}, 'revoked',
         case when revoked_block is null then '' else ${place("revoked_")} end) as line from chain.links
     union all
     select concat_ws(' ', 'block', number, ${hex("hash")}) from chain.blocks where number in (
       select block_number from chain.assets union select block_number from chain.links
       union select revoked_block from chain.links)
     union all
     select concat_ws(' ', 'undecoded', ${hex("transaction_hash")}, problem) from chain.undecoded_logs`,
  );
  return [...assets.rows.map((row) => assetLine(row, domain)), ...others.rows.map(({ line }) => line)].sort();
}

function assetLine(row: AssetRow, domain: string): string {
  const exact: string[] =
    row.raw === null ? row.texts : [...AbiCoder.defaultAbiCoder().decode(["bytes[]"], row.raw)[0]];
  const commits = keccak256(`0x1901${domain.slice(2)}${row.content_hash.slice(2)}`) === row.id;
  const problem = commits ? "" : " (the content hash is not of this id)";
  return `asset ${row.id} ${getAddress(row.author)} ${row.salt} ${row.place} ${exact.join(" ")}${problem}`;
}

/** What one list has and the other does not, the first few of each. */
export function differences(expected: readonly string[], found: readonly string[], most = 5): string[] {
  const [wanted, held] = [new Set(expected), new Set(found)];
  const missing = expected.filter((row) => !held.has(row));
  const extra = found.filter((row) => !wanted.has(row));
  const double = found.length - held.size;
  return [
    ...missing.slice(0, most).map((row) => `missing: ${row}`),
    ...extra.slice(0, most).map((row) => `not on the chain: ${row}`),
    ...(missing.length + extra.length > 2 * most ? [`${missing.length} missing, ${extra.length} extra`] : []),
    ...(double > 0 ? [`${double} rows stand twice`] : []),
  ];
}
