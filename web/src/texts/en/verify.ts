import type { CheckName, Outcome } from "asset-registry-proof";

export const verify = {
  title: "Verify",
  lead: "Find out whether a file is registered, by whom and when. The file stays on your device: only its hash is looked up.",
  drop: {
    title: "Drop a file, its proof, or both",
    hint: "Any size. A proof is the JSON document that the asset page offers for download; it is recognised by its content.",
    another: "Drop another file or a proof",
  },
  paste: {
    label: "Or paste an asset id or a hash",
    hint: "In hex with or without 0x, Base64, with the name of its method or without.",
    look: "Look it up",
    unreadable: "This is neither an asset id nor a hash in a usual form. An id has 64 hex digits.",
  },
  chosen: {
    title: "What is checked",
    file: "File",
    size: (words: string, bytes: number) =>
      bytes < 1000 ? `${bytes} ${bytes === 1 ? "byte" : "bytes"}` : `${words} (${bytes} bytes)`,
    proof: "Proof",
    hash: "Hash",
    asset: "Asset",
    written: "Asset id or hash",
    hashes: "Hashes of the file",
    empty: "This file is empty. Every empty file has the same hash.",
    startAnew: "Start anew",
    noFile: "none yet",
  },
  block: {
    title: "Who vouches for the chain?",
    lead: "A proof is worth as much as the block that it begins at. Let nodes that you trust confirm that block, so that you need not trust this service.",
    from: "Hash of the block",
    nowhere: "Do not check it",
    nodes: "Ask nodes of my choice",
    hash: "Compare it with a hash that I have",
    urls: "URLs of nodes, one a line",
    urlsHint: "All must agree. They are asked by this page and forgotten when you leave it.",
    urlWrong: (url: string) => `This is no URL of a node: ${url}. It must begin with https:// or http://.`,
    urlsTooMany: (count: number, most: number) => `These are ${count} nodes. Name ${most} at most.`,
    urlMissing: "Name one node at least.",
    hashLabel: "Block hash",
    hashWrong: "A block hash has 64 hex digits, with 0x in front or without.",
    check: "Check with this",
  },
  nodes: {
    none: "It was not checked whether this block is the chain's: no source that you trust was named. Whoever made the proof, or runs this service, could have made it up.",
    pasted: "pasted by you",
    refused: (host: string, message: string) => `The node ${host} refused the question: ${message}.`,
    away: (host: string) =>
      `The node ${host} does not answer, or lets no web page ask it. That says nothing about the proof.`,
    tooLarge: "its answer is too large",
  },
  result: "Result",
  hashing: "The file is being read …",
  searching: "Looking for assets with this hash …",
  proving: "Fetching the proof and checking it …",
  checking: "Checking the proof …",
  found: (count: number) =>
    count === 1 ? "One asset bears this hash." : `${count} assets bear this hash, the oldest first.`,
  foundMany: (count: number) =>
    `More than ${count} assets bear this hash; these are the newest of them, the oldest first.`,
  anybody: "Anybody can register any file, so look at the author and the time.",
  checkThis: "Check its proof",
  unknown: {
    title: "Unknown here",
    file: (methods: string) =>
      `No asset of this registry bears the hash of this file (${methods}). That says nothing against the file: it may be registered elsewhere, by another method, or not be on the chain yet.`,
    hash: (methods: string) =>
      `No asset of this registry bears this hash (${methods}). That says nothing against it: it may be registered elsewhere, or not be on the chain yet.`,
    asset:
      "This registry has no asset with this id. It may be of another registry or chain, or not be on the chain yet.",
    others: "Try every other method",
    variant: (words: string) =>
      `The same text with ${words} is registered: that is another file, which some program made of this one, or this one of it. See `,
  },
  cannot: {
    title: "Cannot be checked",
    search: (why: string) =>
      `Whether the file is registered could not be looked up. ${why} Nothing is said about the file.`,
    proof: (why: string) => `No proof could be fetched. ${why}`,
  },
  verdicts: {
    valid: {
      file: {
        title: "Registered",
        meaning:
          "Exactly this file was registered, as the chain shows. That shows neither that what it says is true nor who holds the author's address.",
      },
      hash: {
        title: "Registered",
        meaning:
          "A file with exactly this hash was registered, as the chain shows. That shows neither that what it says is true nor who holds the author's address.",
      },
      nothing: {
        title: "The proof is valid",
        meaning: "The asset is registered, as the chain shows. No file was compared with it.",
      },
    },
    validElsewhere: {
      file: {
        title: "Registered, but not here",
        meaning: "Exactly this file was registered in another registry, as the chain of that registry shows.",
      },
      hash: {
        title: "Registered, but not here",
        meaning: "A file with exactly this hash was registered in another registry, as its chain shows.",
      },
      nothing: {
        title: "The proof is valid, but of another registry",
        meaning: "The asset is registered there, as its chain shows. No file was compared with it.",
      },
    },
    contradicted: {
      title: "The service contradicts its own proof",
      meaning:
        "The proof that it gave is not of the asset that it tells of. Believe neither, and tell whoever runs the service.",
    },
    blockOpen: {
      file: {
        title: "The file matches, and the block is not checked",
        meaning:
          "Exactly this file stands in the proof, and everything in the proof fits together. One thing is open: whether its block is the chain's. Until a node that you trust confirms it, whoever made the proof could have made up all of it: name one below.",
      },
      hash: {
        title: "The hash matches, and the block is not checked",
        meaning:
          "Exactly this hash stands in the proof, and everything in the proof fits together. One thing is open: whether its block is the chain's. Until a node that you trust confirms it, whoever made the proof could have made up all of it: name one below.",
      },
      nothing: {
        title: "The proof fits together, and the block is not checked",
        meaning:
          "One thing is open: whether its block is the chain's. Until a node that you trust confirms it, whoever made the proof could have made up all of it: name one below. No file was compared.",
      },
    },
    another: {
      file: {
        title: "Not the registered file",
        meaning: "The file has another hash than the asset names. It was changed, or it is another file.",
      },
      hash: {
        title: "Not the registered hash",
        meaning: "The asset names another hash than the one that you gave.",
      },
      nothing: { title: "Not the registered file", meaning: "The asset names another hash." },
    },
    forged: {
      title: "The proof is not valid",
      meaning:
        "It contradicts itself, or the block that you trust. It was damaged or changed; it shows nothing about the file. Get the proof anew.",
    },
    unreadable: {
      title: "The proof cannot be read",
      meaning:
        "The document is no proof of a version that this page knows, or was cut off. That says nothing about the file.",
    },
    incomparable: {
      title: "The file cannot be compared",
      meaning: "The asset names no hash that this page can compute. That says nothing against the file.",
    },
    open: {
      title: "Not all of it could be checked",
      meaning: "Nothing speaks against the proof, but parts of it could not be checked.",
    },
    unproven: {
      file: {
        title: "The file matches, but there is no proof",
        meaning:
          "The service says that exactly this file is registered. Only its word stands for that, as long as no proof can be checked.",
      },
      hash: {
        title: "The hash matches, but there is no proof",
        meaning:
          "The service says that this hash is registered. Only its word stands for that, as long as no proof can be checked.",
      },
      nothing: {
        title: "There is no proof",
        meaning: "Only the word of the service stands for this asset, as long as no proof can be checked.",
      },
    },
    noProof: {
      title: "There is no proof",
      meaning: "Only the word of the service stands for this asset, as long as no proof can be checked.",
    },
    notFinal: {
      file: {
        title: "The file matches, but its registration is not final yet",
        meaning:
          "A reorganisation of the chain may still undo it. Its proof can be made once its block is final, usually within minutes; this page looks again by itself.",
      },
      hash: {
        title: "The hash matches, but its registration is not final yet",
        meaning:
          "A reorganisation of the chain may still undo it. Its proof can be made once its block is final, usually within minutes; this page looks again by itself.",
      },
      nothing: {
        title: "The registration is not final yet",
        meaning:
          "A reorganisation of the chain may still undo it. Its proof can be made once its block is final, usually within minutes; this page looks again by itself.",
      },
    },
  },
  sameText: (words: string) =>
    `The same text with ${words} has the registered hash: some program changed the bytes of the file.`,
  service: {
    elsewhere: "This proof is of another registry than this service's",
    elsewhereMeaning: (chainId: number, registry: string) =>
      `It is of the contract ${registry} on chain ${chainId}. This service knows nothing of it, and only nodes of that chain can confirm its block.`,
    same: "This service has the same asset on its chain",
    sameMeaning: "With the same author, time and texts, as far as its word goes.",
    differs: "This service tells something else of this asset",
    differsMeaning: "Its author, time or texts are not those of the proof. One of the two is made up.",
    unknown: "This service does not know this asset",
    unknownMeaning:
      "The proof is of this service's own registry, and its index has no such asset. Unless a node that you trust confirms the block, take the proof for made up.",
    unasked: "This service could not be asked whether it knows this asset.",
  },
  checks: {
    title: "Checks",
    names: {
      content: "The file has the hash that the asset names",
      id: "The id belongs to exactly these words",
      author: "The author is the registry's",
      time: "The time is the registry's",
      inclusion: "The asset stands in the registry",
      links: "Its links",
      block: "The block is the chain's",
    } satisfies Record<CheckName, string>,
    outcomes: { valid: "valid", invalid: "invalid", "cannot check": "cannot check" } satisfies Record<
      Outcome,
      string
    >,
    notAsked: "not asked",
  },
  facts: {
    name: "Name",
    author: "Registered by",
    createdOn: "Registered on",
    asset: "Asset",
    state: "State",
    chain: "Chain",
    registry: "Registry",
    transaction: "Transaction",
    block: "Block of the registration",
    provenAt: "Proven as of block",
    source: "Block's hash",
    sourceNone: "confirmed by nobody",
    links: "Links",
    linkStates: { standing: "stands", revoked: "revoked", "never added": "was never added" },
    asOf: "What happened after that block is not in the proof.",
  },
};
