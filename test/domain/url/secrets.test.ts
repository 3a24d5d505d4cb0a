import { expect } from "chai";
import { hideSecretsOf, hostOf } from "../../../domain/url/secrets.ts";

describe("hideSecretsOf", () => {
  const hide = hideSecretsOf(
    "https://user%40:pass%2Fword@rpc.example/v3/0a1b2c3d4e5f?token=f5e4d3c2b1a0&x=1",
  );

  for (const [text, hidden] of [
    ["Cannot POST /v3/0a1b2c3d4e5f?token=f5e4d3c2b1a0", "Cannot POST /v3/[hidden]?token=[hidden]"],
    ["project 0a1b2c3d4e5f is unknown, 0a1b2c3d4e5f", "project [hidden] is unknown, [hidden]"],
    ["https://user%40:pass%2Fword@rpc.example/", "https://[hidden]:[hidden]@rpc.example/"],
    ["user@ may not come in with pass/word", "[hidden] may not come in with [hidden]"],
    ["rpc.example answers v3 and x=1", "rpc.example answers v3 and x=1"],
    ["", ""],
  ] as const) {
    it(`makes of "${text}" "${hidden}"`, () => expect(hide(text)).to.equal(hidden));
  }

  it("leaves everything as it is for a URL without a secret", () => {
    expect(hideSecretsOf("http://127.0.0.1:8545")("http://127.0.0.1:8545/ is down")).to.equal(
      "http://127.0.0.1:8545/ is down",
    );
  });
});

describe("hostOf", () => {
  for (const [url, host] of [
    ["https://user:word@rpc.example/v3/0a1b2c3d4e5f", "rpc.example"],
    ["http://127.0.0.1:8545/key", "127.0.0.1:8545"],
    ["https://some-long-name-of-a-network.example", "some-long-name-of-a-network.example"],
    ["https://0a1b2c3d4e5f60718293a4b5.eth.rpc.example/", "[hidden].eth.rpc.example"],
  ] as const) {
    it(`makes of ${url} ${host}`, () => expect(hostOf(url)).to.equal(host));
  }

  it("has its key taken out of errors too", () => {
    const hide = hideSecretsOf("https://0a1b2c3d4e5f60718293a4b5.eth.rpc.example/");
    expect(hide("getaddrinfo ENOTFOUND 0a1b2c3d4e5f60718293a4b5.eth.rpc.example")).to.equal(
      "getaddrinfo ENOTFOUND [hidden].eth.rpc.example",
    );
  });
});
