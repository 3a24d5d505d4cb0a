import { expect } from "chai";
import { FunctionFragment } from "ethers";
import { ethers, freshRegistry, mined, networkHelpers, registryWithAssets } from "./fixture.ts";

const DETAILS =
  "(string name, string data, string fileName, string fileType, string fileSize, " +
  "string method, string hash, string uri)";

/** Everything that anybody can call, catch or watch. Whoever adds to it adds it here, knowingly. */
const surface = [
  "constructor()",
  "error AddressEmptyCode(address target)",
  "error AssetExists(bytes32 id)",
  "error AssetNameEmpty()",
  "error AssetTextTooLong(uint8 text, uint256 length, uint256 maximum)",
  "error AssetUnknown(bytes32 id)",
  "error CreationIsCancelled(bytes32 id, uint48 cancelledOn)",
  "error DeadlineExpired(uint256 deadline, uint256 time)",
  "error FailedCall()",
  "error InvalidAccountNonce(address account, uint256 currentNonce)",
  "error InvalidShortString()",
  "error LinkDoesNotStand(bytes32 parent, bytes32 child)",
  "error LinkStands(bytes32 parent, bytes32 child)",
  "error LinkToSelf(bytes32 id)",
  "error NoChildren(bytes32 parent)",
  "error NotAuthor(bytes32 parent, address author, address caller)",
  "error SignatureInvalid(address author, bytes32 digest)",
  "error StringTooLong(string str)",
  `event AssetCreated(bytes32 indexed id, address indexed author, bytes32 salt, ${DETAILS} details)`,
  "event CreationCancelled(bytes32 indexed id, address indexed author)",
  "event EIP712DomainChanged()",
  "event LinkAdded(bytes32 indexed parent, bytes32 indexed child)",
  "event LinkChangeCancelled(address indexed author, uint256 indexed nonce)",
  "event LinkRevoked(bytes32 indexed parent, bytes32 indexed child)",
  `function assetId(address author, bytes32 salt, ${DETAILS} details) view returns (bytes32)`,
  "function assetOf(bytes32 id) view returns ((address author, uint48 createdOn, uint48 cancelledOn))",
  `function cancelCreation(bytes32 salt, ${DETAILS} details) returns (bytes32 id)`,
  "function cancelLinkChange(uint256 nonce)",
  `function createAsset(bytes32 salt, ${DETAILS} details) returns (bytes32 id)`,
  `function createAssetFor(address author, bytes32 salt, ${DETAILS} details, uint256 deadline, bytes signature) ` +
    "returns (bytes32 id)",
  "function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, " +
    "address verifyingContract, bytes32 salt, uint256[] extensions)",
  "function link(bytes32 parent, bytes32[] children)",
  "function linkFor(bytes32 parent, bytes32[] children, uint256 nonce, uint256 deadline, bytes signature)",
  "function linkOf(bytes32 parent, bytes32 child) view returns ((uint48 addedOn, uint48 revokedOn))",
  "function multicall(bytes[] calls) returns (bytes[] results)",
  "function nonces(address author, uint192 key) view returns (uint256)",
  "function nonces(address owner) view returns (uint256)",
  "function revokeLinks(bytes32 parent, bytes32[] children)",
  "function revokeLinksFor(bytes32 parent, bytes32[] children, uint256 nonce, uint256 deadline, bytes signature)",
];

describe("external surface", () => {
  it("is exactly what is listed here", async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    const { fragments } = registry.interface;
    expect(fragments.map((fragment) => fragment.format("full")).sort()).to.deep.equal([...surface].sort());
  });

  it("has no payable function", async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    const payable = registry.interface.fragments.filter(
      (fragment) => FunctionFragment.isFragment(fragment) && fragment.payable,
    );
    expect(payable).to.deep.equal([]);
  });

  it("refuses plain ether and unknown calls", async () => {
    const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
    const to = registry.target;
    await expect(author.sendTransaction({ to, value: 1n })).to.be.revertedWithoutReason(ethers);
    await expect(author.sendTransaction({ to })).to.be.revertedWithoutReason(ethers);
    await expect(author.sendTransaction({ to, data: "0x12345678" })).to.be.revertedWithoutReason(ethers);
  });

  it("cannot be replaced or destroyed, and calls nothing that could change anything", async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    const opcodes = opcodesOf(ethers.getBytes(await ethers.provider.getCode(registry.target)));
    const [CREATE, CALL, CALLCODE, CREATE2, SELFDESTRUCT] = [0xf0, 0xf1, 0xf2, 0xf5, 0xff];
    for (const opcode of [CREATE, CALL, CALLCODE, CREATE2, SELFDESTRUCT]) {
      expect(count(opcodes, opcode), `opcode 0x${opcode.toString(16)}`).to.equal(0);
    }
  });

  it("asks others only about signatures: the precompiled recovery and the author's own code", async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    const opcodes = opcodesOf(ethers.getBytes(await ethers.provider.getCode(registry.target)));
    const STATICCALL = 0xfa;
    expect(count(opcodes, STATICCALL)).to.equal(2);
  });

  it("delegates in one place, the multicall, and to itself alone", async () => {
    const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
    const opcodes = opcodesOf(ethers.getBytes(await ethers.provider.getCode(registry.target)));
    const DELEGATECALL = 0xf4;
    expect(count(opcodes, DELEGATECALL)).to.equal(1);

    const call = registry.interface.encodeFunctionData("link", [parent, [child]]);
    const inner = registry.interface.encodeFunctionData("multicall", [[call]]);
    const { hash } = await mined(registry.multicall([inner]));
    const { structLogs } = (await ethers.provider.send("debug_traceTransaction", [hash, {}])) as {
      structLogs: { op: string; stack: string[] }[];
    };
    const targets = structLogs
      .filter(({ op }) => op === "DELEGATECALL")
      .map(({ stack }) => ethers.getAddress(`0x${stack.at(-2)?.slice(-40)}`));
    expect(targets).to.deep.equal([registry.target, registry.target]);
  });
});

/** The instructions of a contract, without the data that pushes carry. */
function opcodesOf(code: Uint8Array): number[] {
  // The last two bytes say how long the metadata before them is, which is never run.
  const metadata = ((code.at(-2) ?? 0) << 8) | (code.at(-1) ?? 0);
  const end = code.length - 2 - metadata;
  const opcodes: number[] = [];
  for (let at = 0; at < end; at++) {
    const opcode = code[at] ?? 0;
    opcodes.push(opcode);
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f;
  }
  return opcodes;
}

function count(opcodes: readonly number[], opcode: number): number {
  return opcodes.filter((each) => each === opcode).length;
}
