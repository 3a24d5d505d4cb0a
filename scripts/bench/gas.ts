import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import {
  AbiCoder,
  type BaseContract,
  ContractFactory,
  type ContractTransactionResponse,
  id,
  ZeroAddress,
  ZeroHash,
} from "ethers";
import { network } from "hardhat";
import { createAssetTypedData } from "../../domain/asset/typed-data.ts";
import { build } from "../build.ts";

const usage = `Usage: npm run bench:gas

Deploys the registry and the Ethereum Attestation Service side by side on one fresh chain, does the same with both, and
prints what it costs. EAS is the general way to keep such a record on chain; its contracts come compiled in its package.`;

const require = createRequire(import.meta.url);
const easArtifact = (name: string): { abi: object[]; bytecode: string } =>
  require(`@ethereum-attestation-service/eas-contracts/artifacts/contracts/${name}.sol/${name}.json`);

/** One record of the sizes that the budgets are set for: name 20, data 200, URI 80 characters, a SHA-256 hash. */
function documentOf(number: number) {
  const digits = `${number}`.padStart(4, "0");
  return {
    name: `Purchase order  ${digits}`,
    data: "Delivery within 30 days. ".repeat(8),
    fileName: `order-${digits}.pdf`,
    fileType: "pdf",
    fileSize: "1048576",
    method: "SHA2-256",
    hash: createHash("sha256").update(digits).digest("hex"),
    uri: `https://files.example.org/orders/${digits}/`.padEnd(80, "a"),
  };
}
type Document = ReturnType<typeof documentOf>;

const fields = Object.keys(documentOf(0));
const inWords = (document: Document) =>
  AbiCoder.defaultAbiCoder().encode(
    fields.map(() => "string"),
    Object.values(document),
  );

async function main(): Promise<void> {
  await build();
  // Fifty records with EAS need more gas than one transaction may use on Ethereum.
  const unlimited = { blockGasLimit: 1_000_000_000n, transactionGasCap: false } as const;
  const { ethers } = await network.create({ override: unlimited });
  const [author, relayer] = await ethers.getSigners();
  if (!author || !relayer) throw new Error("the chain has too few accounts");

  const receiptOf = async (sent: Promise<ContractTransactionResponse>) => {
    const receipt = await (await sent).wait();
    if (receipt?.status !== 1) throw new Error("a transaction failed");
    return receipt;
  };
  const gasOf = async (sent: Promise<ContractTransactionResponse>) => Number((await receiptOf(sent)).gasUsed);
  const call = (contract: BaseContract, name: string, ...args: unknown[]) =>
    contract
      .getFunction(name)
      .send(...args, { gasLimit: 100_000_000n }) as Promise<ContractTransactionResponse>;

  // The registry.
  const registry = await ethers.deployContract("AssetRegistry");
  const place = { chainId: 31_337, address: (await registry.getAddress()) as `0x${string}` };
  const create = (number: number) => call(registry, "createAsset", id(`${number}`), documentOf(number));
  const idOf = (number: number) => registry.assetId(author.address, id(`${number}`), documentOf(number));
  const encoded = (number: number) =>
    registry.interface.encodeFunctionData("createAsset", [id(`${number}`), documentOf(number)]);
  const many = (count: number, from: number) =>
    call(
      registry,
      "multicall",
      Array.from({ length: count }, (_, number) => encoded(from + number)),
    );
  const signed = async (number: number) => {
    const details = documentOf(number);
    const salt = id(`${number}`) as `0x${string}`;
    const content = { author: author.address as `0x${string}`, salt, details };
    const { domain, types, message } = createAssetTypedData(place, content, 4_000_000_000n);
    const plain = { CreateAsset: [...types.CreateAsset], Asset: [...types.Asset] };
    const signature = await author.signTypedData(domain, plain, message);
    return call(
      registry.connect(relayer),
      "createAssetFor",
      author.address,
      salt,
      details,
      4_000_000_000n,
      signature,
    );
  };

  // EAS: a schema with the same eight strings, one whose attestation refers to the parent and names the child, and one
  // that refers to the parent alone.
  const deploy = async (name: string, ...args: unknown[]) => {
    const { abi, bytecode } = easArtifact(name);
    return new ContractFactory(abi, bytecode, author).deploy(...args);
  };
  const schemas = await deploy("SchemaRegistry");
  const eas = await deploy("EAS", await schemas.getAddress());
  const schema = async (words: string) =>
    (await receiptOf(call(schemas, "register", words, ZeroAddress, true))).logs[0]?.topics[1] ?? "";
  const documents = await schema(fields.map((name) => `string ${name}`).join(","));
  const links = await schema("bytes32 child");
  const attestation = (data: string, refUID = ZeroHash) => ({
    recipient: ZeroAddress,
    expirationTime: 0n,
    revocable: true,
    refUID,
    data,
    value: 0n,
  });
  const attest = (number: number) =>
    call(eas, "attest", { schema: documents, data: attestation(inWords(documentOf(number))) });
  const attestMany = (count: number, from: number) =>
    call(eas, "multiAttest", [
      {
        schema: documents,
        data: Array.from({ length: count }, (_, number) => attestation(inWords(documentOf(from + number)))),
      },
    ]);
  const uidOf = async (sent: Promise<ContractTransactionResponse>) => {
    const receipt = await receiptOf(sent);
    // The one word of the event that is not indexed.
    return { uid: receipt.logs[0]?.data ?? "", gas: Number(receipt.gasUsed) };
  };

  const parent = await uidOf(attest(1));
  const child = await uidOf(attest(2));
  const link = await uidOf(call(eas, "attest", { schema: links, data: attestation(child.uid, parent.uid) }));
  const mark = await schema("bool link");
  const bare = await uidOf(call(eas, "attest", { schema: mark, data: attestation("0x", parent.uid) }));
  await receiptOf(create(1));
  await receiptOf(create(2));

  const linked = await gasOf(call(registry, "link", await idOf(1), [await idOf(2)]));

  const rows: [what: string, ours: number, theirs?: number][] = [
    ["create one", await gasOf(create(3)), (await uidOf(attest(3))).gas],
    ["create one that the author signed", await gasOf(signed(4))],
    ["create 10 at once, each", (await gasOf(many(10, 100))) / 10, (await gasOf(attestMany(10, 100))) / 10],
    ["create 50 at once, each", (await gasOf(many(50, 200))) / 50, (await gasOf(attestMany(50, 200))) / 50],
    ["link one to another", linked, link.gas],
    ["link one (EAS: without naming the other)", linked, bare.gas],
    [
      "revoke one link",
      await gasOf(call(registry, "revokeLinks", await idOf(1), [await idOf(2)])),
      await gasOf(call(eas, "revoke", { schema: links, data: { uid: link.uid, value: 0n } })),
    ],
  ];

  const digits = (gas?: number) => (gas === undefined ? "" : Math.round(gas).toLocaleString("en-US"));
  const line = (what: string, ours: string, theirs: string, ratio: string) =>
    console.log(`${what.padEnd(42)}${ours.padStart(10)}${theirs.padStart(12)}${ratio.padStart(8)}`);
  line("gas", "registry", "EAS", "ratio");
  for (const [what, ours, theirs] of rows) {
    line(what, digits(ours), digits(theirs), theirs === undefined ? "" : `1:${(theirs / ours).toFixed(1)}`);
  }
}

if (process.argv.includes("--help")) console.log(usage);
else {
  process.chdir(new URL("../..", import.meta.url).pathname);
  await main();
}
