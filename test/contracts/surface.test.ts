import { expect } from "chai";
import { FunctionFragment } from "ethers";
import { ethers, freshRegistry, networkHelpers } from "./fixture.ts";

const DETAILS =
  "(string name, string data, string fileName, string fileType, string fileSize, " +
  "string method, string hash, string uri)";

/** Everything that anybody can call, catch or watch. Whoever adds to it adds it here, knowingly. */
const surface = [
  "constructor()",
  "error AssetExists(bytes32 id)",
  "error AssetNameEmpty()",
  "error AssetUnknown(bytes32 id)",
  "error InvalidShortString()",
  "error LinkDoesNotStand(bytes32 parent, bytes32 child)",
  "error LinkStands(bytes32 parent, bytes32 child)",
  "error LinkToSelf(bytes32 id)",
  "error NoChildren(bytes32 parent)",
  "error NotAuthor(bytes32 parent, address author, address caller)",
  "error StringTooLong(string str)",
  `event AssetCreated(bytes32 indexed id, address indexed author, bytes32 salt, ${DETAILS} details)`,
  "event EIP712DomainChanged()",
  "event LinkAdded(bytes32 indexed parent, bytes32 indexed child)",
  "event LinkRevoked(bytes32 indexed parent, bytes32 indexed child)",
  `function assetId(address author, bytes32 salt, ${DETAILS} details) view returns (bytes32)`,
  "function assetOf(bytes32 id) view returns ((address author, uint48 createdOn))",
  `function createAsset(bytes32 salt, ${DETAILS} details) returns (bytes32 id)`,
  "function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, " +
    "address verifyingContract, bytes32 salt, uint256[] extensions)",
  "function link(bytes32 parent, bytes32[] children)",
  "function linkOf(bytes32 parent, bytes32 child) view returns ((uint48 addedOn, uint48 revokedOn))",
  "function revokeLinks(bytes32 parent, bytes32[] children)",
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

  it("cannot be replaced or destroyed: the code neither delegates nor ends itself", async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    const opcodes = opcodesOf(ethers.getBytes(await ethers.provider.getCode(registry.target)));
    const [CALL, CALLCODE, DELEGATECALL, SELFDESTRUCT] = [0xf1, 0xf2, 0xf4, 0xff];
    for (const opcode of [CALL, CALLCODE, DELEGATECALL, SELFDESTRUCT]) {
      expect(opcodes.has(opcode), `opcode 0x${opcode.toString(16)}`).to.equal(false);
    }
  });
});

/** The instructions of a contract, without the data that pushes carry. */
function opcodesOf(code: Uint8Array): Set<number> {
  // The last two bytes say how long the metadata before them is, which is never run.
  const metadata = ((code.at(-2) ?? 0) << 8) | (code.at(-1) ?? 0);
  const end = code.length - 2 - metadata;
  const opcodes = new Set<number>();
  for (let at = 0; at < end; at++) {
    const opcode = code[at] ?? 0;
    opcodes.add(opcode);
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f;
  }
  return opcodes;
}
