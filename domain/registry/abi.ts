/**
 * The registry's ABI. Generated from contracts/AssetRegistry.sol by `npm run build`; do not edit.
 */
export const registryAbi = [
  { inputs: [], stateMutability: "nonpayable", type: "constructor" },
  { inputs: [{ name: "target", type: "address" }], name: "AddressEmptyCode", type: "error" },
  { inputs: [{ name: "id", type: "bytes32" }], name: "AssetExists", type: "error" },
  { inputs: [], name: "AssetNameEmpty", type: "error" },
  {
    inputs: [
      { name: "text", type: "uint8" },
      { name: "length", type: "uint256" },
      { name: "maximum", type: "uint256" },
    ],
    name: "AssetTextTooLong",
    type: "error",
  },
  { inputs: [{ name: "id", type: "bytes32" }], name: "AssetUnknown", type: "error" },
  {
    inputs: [
      { name: "id", type: "bytes32" },
      { name: "cancelledOn", type: "uint48" },
    ],
    name: "CreationIsCancelled",
    type: "error",
  },
  {
    inputs: [
      { name: "deadline", type: "uint256" },
      { name: "time", type: "uint256" },
    ],
    name: "DeadlineExpired",
    type: "error",
  },
  { inputs: [], name: "FailedCall", type: "error" },
  {
    inputs: [
      { name: "account", type: "address" },
      { name: "currentNonce", type: "uint256" },
    ],
    name: "InvalidAccountNonce",
    type: "error",
  },
  { inputs: [], name: "InvalidShortString", type: "error" },
  {
    inputs: [
      { name: "parent", type: "bytes32" },
      { name: "child", type: "bytes32" },
    ],
    name: "LinkDoesNotStand",
    type: "error",
  },
  {
    inputs: [
      { name: "parent", type: "bytes32" },
      { name: "child", type: "bytes32" },
    ],
    name: "LinkStands",
    type: "error",
  },
  { inputs: [{ name: "id", type: "bytes32" }], name: "LinkToSelf", type: "error" },
  { inputs: [{ name: "parent", type: "bytes32" }], name: "NoChildren", type: "error" },
  {
    inputs: [
      { name: "parent", type: "bytes32" },
      { name: "author", type: "address" },
      { name: "caller", type: "address" },
    ],
    name: "NotAuthor",
    type: "error",
  },
  {
    inputs: [
      { name: "author", type: "address" },
      { name: "digest", type: "bytes32" },
    ],
    name: "SignatureInvalid",
    type: "error",
  },
  { inputs: [{ name: "str", type: "string" }], name: "StringTooLong", type: "error" },
  {
    anonymous: false,
    inputs: [
      { indexed: true, name: "id", type: "bytes32" },
      { indexed: true, name: "author", type: "address" },
      { indexed: false, name: "salt", type: "bytes32" },
      {
        components: [
          { name: "name", type: "string" },
          { name: "data", type: "string" },
          { name: "fileName", type: "string" },
          { name: "fileType", type: "string" },
          { name: "fileSize", type: "string" },
          { name: "method", type: "string" },
          { name: "hash", type: "string" },
          { name: "uri", type: "string" },
        ],
        indexed: false,
        name: "details",
        type: "tuple",
      },
    ],
    name: "AssetCreated",
    type: "event",
  },
  {
    anonymous: false,
    inputs: [
      { indexed: true, name: "id", type: "bytes32" },
      { indexed: true, name: "author", type: "address" },
    ],
    name: "CreationCancelled",
    type: "event",
  },
  { anonymous: false, inputs: [], name: "EIP712DomainChanged", type: "event" },
  {
    anonymous: false,
    inputs: [
      { indexed: true, name: "parent", type: "bytes32" },
      { indexed: true, name: "child", type: "bytes32" },
    ],
    name: "LinkAdded",
    type: "event",
  },
  {
    anonymous: false,
    inputs: [
      { indexed: true, name: "author", type: "address" },
      { indexed: true, name: "nonce", type: "uint256" },
    ],
    name: "LinkChangeCancelled",
    type: "event",
  },
  {
    anonymous: false,
    inputs: [
      { indexed: true, name: "parent", type: "bytes32" },
      { indexed: true, name: "child", type: "bytes32" },
    ],
    name: "LinkRevoked",
    type: "event",
  },
  {
    inputs: [
      { name: "author", type: "address" },
      { name: "salt", type: "bytes32" },
      {
        components: [
          { name: "name", type: "string" },
          { name: "data", type: "string" },
          { name: "fileName", type: "string" },
          { name: "fileType", type: "string" },
          { name: "fileSize", type: "string" },
          { name: "method", type: "string" },
          { name: "hash", type: "string" },
          { name: "uri", type: "string" },
        ],
        name: "details",
        type: "tuple",
      },
    ],
    name: "assetId",
    outputs: [{ name: "", type: "bytes32" }],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [{ name: "id", type: "bytes32" }],
    name: "assetOf",
    outputs: [
      {
        components: [
          { name: "author", type: "address" },
          { name: "createdOn", type: "uint48" },
          { name: "cancelledOn", type: "uint48" },
        ],
        name: "",
        type: "tuple",
      },
    ],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [
      { name: "salt", type: "bytes32" },
      {
        components: [
          { name: "name", type: "string" },
          { name: "data", type: "string" },
          { name: "fileName", type: "string" },
          { name: "fileType", type: "string" },
          { name: "fileSize", type: "string" },
          { name: "method", type: "string" },
          { name: "hash", type: "string" },
          { name: "uri", type: "string" },
        ],
        name: "details",
        type: "tuple",
      },
    ],
    name: "cancelCreation",
    outputs: [{ name: "id", type: "bytes32" }],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [{ name: "nonce", type: "uint256" }],
    name: "cancelLinkChange",
    outputs: [],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [
      { name: "salt", type: "bytes32" },
      {
        components: [
          { name: "name", type: "string" },
          { name: "data", type: "string" },
          { name: "fileName", type: "string" },
          { name: "fileType", type: "string" },
          { name: "fileSize", type: "string" },
          { name: "method", type: "string" },
          { name: "hash", type: "string" },
          { name: "uri", type: "string" },
        ],
        name: "details",
        type: "tuple",
      },
    ],
    name: "createAsset",
    outputs: [{ name: "id", type: "bytes32" }],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [
      { name: "author", type: "address" },
      { name: "salt", type: "bytes32" },
      {
        components: [
          { name: "name", type: "string" },
          { name: "data", type: "string" },
          { name: "fileName", type: "string" },
          { name: "fileType", type: "string" },
          { name: "fileSize", type: "string" },
          { name: "method", type: "string" },
          { name: "hash", type: "string" },
          { name: "uri", type: "string" },
        ],
        name: "details",
        type: "tuple",
      },
      { name: "deadline", type: "uint256" },
      { name: "signature", type: "bytes" },
    ],
    name: "createAssetFor",
    outputs: [{ name: "id", type: "bytes32" }],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [],
    name: "eip712Domain",
    outputs: [
      { name: "fields", type: "bytes1" },
      { name: "name", type: "string" },
      { name: "version", type: "string" },
      { name: "chainId", type: "uint256" },
      { name: "verifyingContract", type: "address" },
      { name: "salt", type: "bytes32" },
      { name: "extensions", type: "uint256[]" },
    ],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [
      { name: "parent", type: "bytes32" },
      { name: "children", type: "bytes32[]" },
    ],
    name: "link",
    outputs: [],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [
      { name: "parent", type: "bytes32" },
      { name: "children", type: "bytes32[]" },
      { name: "nonce", type: "uint256" },
      { name: "deadline", type: "uint256" },
      { name: "signature", type: "bytes" },
    ],
    name: "linkFor",
    outputs: [],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [
      { name: "parent", type: "bytes32" },
      { name: "child", type: "bytes32" },
    ],
    name: "linkOf",
    outputs: [
      {
        components: [
          { name: "addedOn", type: "uint48" },
          { name: "revokedOn", type: "uint48" },
        ],
        name: "",
        type: "tuple",
      },
    ],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [{ name: "calls", type: "bytes[]" }],
    name: "multicall",
    outputs: [{ name: "results", type: "bytes[]" }],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [{ name: "owner", type: "address" }],
    name: "nonces",
    outputs: [{ name: "", type: "uint256" }],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [
      { name: "author", type: "address" },
      { name: "key", type: "uint192" },
    ],
    name: "nonces",
    outputs: [{ name: "", type: "uint256" }],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [
      { name: "parent", type: "bytes32" },
      { name: "children", type: "bytes32[]" },
    ],
    name: "revokeLinks",
    outputs: [],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [
      { name: "parent", type: "bytes32" },
      { name: "children", type: "bytes32[]" },
      { name: "nonce", type: "uint256" },
      { name: "deadline", type: "uint256" },
      { name: "signature", type: "bytes" },
    ],
    name: "revokeLinksFor",
    outputs: [],
    stateMutability: "nonpayable",
    type: "function",
  },
] as const;
