import { z } from "zod";
import { detailFields } from "../../domain/asset/asset.ts";
import { limits } from "../../domain/limits.ts";
import { address, optionalText, text } from "../operation/fields.ts";
import { addressAnswer, hashAnswer, idAnswer, timeAnswer } from "../operation/schema-words.ts";
import { requestAnswer, state } from "./state-schema.ts";

const { text: max } = limits;

/** The creation request (docs/spec.md §2.2). */
export const creation = z
  .strictObject({
    name: text(max.name)
      .refine((name) => name.trim() !== "", "must not be empty or white space alone")
      .meta({ minLength: 1, description: "Visible to everyone" }),
    author: address.meta({ description: "Address that will own the asset and sign its creation" }),
    data: optionalText(max.data).meta({ description: "Free text, or a structure as JSON or XML" }),
    fileName: optionalText(max.fileName).meta({ description: "Name of the attached file" }),
    fileType: optionalText(max.fileType).meta({ description: "Such as pdf, txt or jpg" }),
    fileSize: optionalText(max.fileSize)
      .refine((digits) => /^\d*$/.test(digits), "must be a number of bytes in decimal digits")
      .meta({ pattern: "^[0-9]*$", description: "Size of the file in bytes, kept digit for digit" }),
    method: optionalText(max.method).meta({
      description: "How `hash` was computed; any text, SHA2-256 is best",
    }),
    hash: optionalText(max.hash).meta({ description: "Hash of the file, kept as given" }),
    uri: optionalText(max.uri).meta({ description: "Where the file can be had" }),
  })
  .meta({
    id: "AssetCreation",
    description: "An optional text that is empty counts as absent.",
    examples: [
      {
        name: "Lease agreement",
        author: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
        data: "Flat 3",
        fileName: "sample.pdf",
        fileType: "pdf",
        fileSize: "1024",
        method: "SHA2-256",
        hash: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
      },
    ],
  });

export const itemAnswer = z
  .strictObject({
    key: z.string(),
    type: z.string(),
    value: z.string(),
    name: z.string(),
    sectionsPath: z.string(),
    sectionsPathNames: z.string(),
  })
  .meta({ id: "CustomDefinitionItem", description: "One text of the asset; `key` is the field's name" });

export const contentHashAnswer = hashAnswer.meta({
  description: "EIP-712 hash of author, salt and texts: what the chain commits to",
});

export const databaseHashAnswer = z.string().meta({
  pattern: "^[0-9a-f]{64}$",
  description: "The same hash made anew from the database; other digits mean that its row was changed",
});

/** The Asset (docs/spec.md §2.3), with its state, and with the salt from which anyone can recompute the id. */
export const assetAnswer = z
  .strictObject({
    id: idAnswer,
    author: addressAnswer,
    salt: hashAnswer.meta({ description: "32 bytes in 0x hex: with author and texts they make the id" }),
    name: z.string(),
    description: z.string(),
    language: z.string(),
    jurisdiction: z.string(),
    unitOfMeasure: z.string(),
    sparkFactor: z.string(),
    sparkFactorModifier: z.string().meta({ description: "An object as JSON" }),
    assetClass: z.string().meta({ description: "A017, the class of documents" }),
    createdOn: timeAnswer,
    updatedOn: timeAnswer,
    blockchainHash: contentHashAnswer,
    documentDbHash: databaseHashAnswer,
    ...requestAnswer,
    customDefinitionItems: z.array(itemAnswer),
    assetLinkIds: z.array(idAnswer).max(limits.links).meta({
      description:
        "The assets that it points to now, in the order of linking: the first of them where they are many",
    }),
    state,
    truncated: z.array(z.enum(detailFields)).optional().meta({
      description:
        "Texts of which only the beginning is shown, because the chain has more than the service itself takes; absent where all are whole",
    }),
  })
  .meta({
    id: "Asset",
    examples: [
      {
        id: "0x604d06adbd3d0ebae9d36cb3d59dbb39a7f5a8be1a6a4a5d4b3f3c2f1b0a9e8d",
        author: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
        salt: "0xa9ea9cb1cb4bd5b3f3a0c3c8a5a3f7fb1d9d3a1f6a4c2b7e8d5f1c3b9a7e6d5c",
        name: "Lease agreement",
        description: "Registry asset",
        language: "en",
        jurisdiction: "EARTH",
        unitOfMeasure: "token",
        sparkFactor: "1",
        sparkFactorModifier: '{"type":"FORMULA","start":"2026-11-28T02:10:43Z","t":"1d","f":"1"}',
        assetClass: "A017",
        createdOn: "2026-11-28T02:10:43.510+00:00",
        updatedOn: "2026-11-28T02:10:43.523+00:00",
        blockchainHash: "0x64b8f1a2c3d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7f8091a2b3c4d5e6f",
        documentDbHash: "64b8f1a2c3d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7f8091a2b3c4d5e6f",
        transactionId: "ddc3911c-090c-4831-a37d-48a6dab94ae5",
        signUrl: "https://registry.example/console/sign/ddc3911c-090c-4831-a37d-48a6dab94ae5",
        customDefinitionItems: [
          {
            key: "fileName",
            type: "STRING",
            value: "sample.pdf",
            name: "File name",
            sectionsPath: "[documentation][singlefile]",
            sectionsPathNames: "[Documentation][single file]",
          },
        ],
        assetLinkIds: [],
        state: "Received",
      },
    ],
  });
