/**
 * What tells the registry's code from any other. Generated from contracts/AssetRegistry.sol by `npm run build`;
 * do not edit.
 */
export const registryCode = {
  creationCodeHash: "0x92e98e2c3edbccd33216fca0f28bb10715fc5444657f28135973e28daba1c757",
  size: 6757,
  blankedHash: "0x407dad54c5a140b36bd65148234aa205fd8924c74285d84ea53ef31a277609ee",
  immutables: {
    _cachedChainId: [6266],
    _cachedDomainSeparator: [6083],
    _cachedThis: [6036],
    _hashedName: [6162],
    _hashedVersion: [6200],
    _name: [1729],
    _version: [1770],
  },
} as const;
