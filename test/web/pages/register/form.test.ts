import { RegistryError } from "asset-registry-client";
import { expect } from "chai";
import { limits } from "../../../../domain/limits.ts";
import {
  bodyOf,
  codePoints,
  emptyFields,
  keyKeeper,
  problemsOf,
  refusedFields,
  withFile,
  withoutFile,
} from "../../../../web/src/pages/register/form.ts";

const author = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const filled = { ...emptyFields, name: "Lease", author };
const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const hashed = { method: "sha256", digest } as const;
const problems = (fields: Partial<typeof emptyFields>) => problemsOf({ ...filled, ...fields }, limits.text);

describe("the form of a registration", () => {
  it("takes what a file says of itself, its name in exactly its own characters, and a name that was typed stays", () => {
    for (const name of ["Vertrag-M\u00fcller.pdf", "Vertrag-Mu\u0308ller.pdf"]) {
      expect(withFile(emptyFields, { name, size: 5_368_709_120 }, hashed)).to.deep.equal({
        ...{ name, author: "", data: "", uri: "", fileName: name, fileType: "pdf", fileSize: "5368709120" },
        ...{ method: "SHA2-256", hash: digest },
      });
    }
    const first = withFile(emptyFields, { name: "a.PDF", size: 1 }, hashed);
    expect(first.fileType).to.equal("pdf");
    expect(withFile(first, { name: ".profile", size: 1 }, hashed)).to.include({
      name: ".profile",
      fileType: "",
    });
    expect(withFile(filled, { name: "a.pdf", size: 1 }, hashed).name).to.equal("Lease");
    expect(withoutFile(first)).to.deep.equal(emptyFields);
    expect(withoutFile({ ...first, name: "Lease" }).name).to.equal("Lease");
  });

  it("counts code points as the service does, at the very limit", () => {
    expect(codePoints("é😀👩‍👩‍👧")).to.equal(7);
    for (const [name, most] of Object.entries(limits.text).filter(([name]) => name !== "fileSize")) {
      const text = "😀".repeat(most);
      const method = name === "hash" ? { method: "x" } : {};
      expect(problems({ ...method, [name]: text }), name).to.deep.equal({});
      expect(problems({ ...method, [name]: `${text}a` }), name).to.have.property(name);
    }
  });

  it("says what the service would refuse", () => {
    expect(problems({})).to.deep.equal({});
    expect(problems({ name: " \t" })).to.have.keys("name");
    expect(problems({ author: "" })).to.have.keys("author");
    expect(problems({ author: author.replace("F", "f") }).author).to.contain("checksum");
    expect(problems({ author: author.toLowerCase() })).to.deep.equal({});
    expect(problems({ author: ` ${author} ` })).to.deep.equal({});
    expect(problems({ fileSize: "12 kB" })).to.have.keys("fileSize");
    expect(problems({ data: "a\0b", uri: "\ud83d" })).to.have.keys("data", "uri");
    expect(problems({ hash: digest })).to.have.keys("method");
  });

  it("sends what is not empty, each text exactly as typed but the address", () => {
    const data = `{"b":1.0,"a":12345678901234567890,"a":2,"k'/#":"é\\t"}`;
    expect(bodyOf({ ...filled, name: " Lease ", author: ` ${author}\n`, data })).to.deep.equal({
      ...{ name: " Lease ", author, data },
    });
  });

  it("shows what the service refused at the fields that it names", () => {
    const details = [
      { field: "author", message: "must not be the zero address: nobody can sign for it" },
      { field: "author", message: "is wrong otherwise" },
      { field: "x", message: "is unknown" },
    ];
    const error = new RegistryError({
      ...{ code: "INVALID_REQUEST", message: "", status: 400, details },
      ...{ requestId: undefined, retryAfter: undefined },
    });
    expect(refusedFields(error)).to.deep.equal({
      author: "Author's address must not be the zero address: nobody can sign for it.",
    });
  });

  it("keeps its key for as long as the request is the same", () => {
    let count = 0;
    const keyOf = keyKeeper(() => {
      count += 1;
      return String(count);
    });
    const [one, other] = [bodyOf(filled), bodyOf({ ...filled, data: "2" })];
    expect([one, { ...one }, other, one].map(keyOf)).to.deep.equal(["1", "1", "2", "3"]);
  });
});
