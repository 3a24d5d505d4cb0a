/**
 * Fingerprint of the registry's runtime code. Generated from contracts/AssetRegistry.sol by `npm run build`;
 * do not edit.
 */
export const registryCode = {
  creationCodeHash: "0x8894f842aff45a657a7ada0a4d7201c30155b3807a85c62169e58e95922b3745",
  size: 7326,
  blankedHash: "0x6faa153333981d0270b618835549279afc71c9e7eaaf588ccc1916f7fa77a59a",
  immutables: {
    _cachedChainId: [6835],
    _cachedDomainSeparator: [6652],
    _cachedThis: [6605],
    _hashedName: [6731],
    _hashedVersion: [6769],
    _name: [1729],
    _version: [1770],
  },
} as const;
