import { expect } from "chai";
import {
  mostNodeAnswerBytes,
  nodeCall,
  readNodeAnswer,
  readNodeText,
} from "../../../proof/src/nodes/node-call.ts";

describe("a call of a node", () => {
  it("is a POST of JSON-RPC that follows no redirect", () => {
    const { target, init } = nodeCall("https://node.example/v1?key=a", "eth_chainId", []);
    expect(target.href).to.equal("https://node.example/v1?key=a");
    expect(init).to.deep.equal({
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
      redirect: "error",
    });
  });

  for (const [url, credentials] of [
    ["https://user:p%40ss@node.example/", "user:p@ss"],
    ["https://user@node.example/", "user:"],
    ["https://:key@node.example/", ":key"],
  ] as const) {
    it(`takes name and password of ${url} into a header`, () => {
      const { target, init } = nodeCall(url, "eth_chainId", []);
      expect(target.href).to.equal("https://node.example/");
      expect(init.headers["authorization"]).to.equal(`Basic ${btoa(credentials)}`);
    });
  }
});

describe("what a node answered", () => {
  it("is a result, or its own words in 200 characters at most, or nothing that can be read", () => {
    expect(readNodeAnswer('{"result":null}')).to.deep.equal({ result: null });
    expect(readNodeAnswer('{"error":{"message":"no"}}')).to.deep.equal({ said: "no" });
    expect(readNodeAnswer(`{"error":{"message":"${"n".repeat(300)}"}}`)).to.deep.equal({
      said: "n".repeat(200),
    });
    for (const text of ["", "<html>", "null", "7", "{}", '{"error":7}', '{"error":{"message":7}}'])
      expect(readNodeAnswer(text), text).to.deep.equal({ said: undefined });
  });

  it("is read to its bound, and left there", async () => {
    const body = (bytes: number) => new Response(new Uint8Array(bytes).fill(97)).body;
    expect(await readNodeText(body(mostNodeAnswerBytes))).to.have.length(mostNodeAnswerBytes);
    expect(await readNodeText(body(mostNodeAnswerBytes + 1))).to.equal(undefined);
    expect(await readNodeText(null)).to.equal("");
  });
});
