/** An asset id of an address, or how many hex digits it has instead. */
type AssetIdRead = { id: string } | { digits: number };

/** Reads an id in any case, with or without 0x. */
export function readAssetId(text: string): AssetIdRead {
  const digits = text.trim().replace(/^0x/i, "");
  if (/^[0-9a-f]{64}$/i.test(digits)) return { id: `0x${digits.toLowerCase()}` };
  return { digits: /^[0-9a-f]{1,200}$/i.test(digits) ? digits.length : 0 };
}
