import { expect } from "chai";
import { eventKinds } from "../../../domain/events/kinds.ts";
import { document, expectValid, validatorAt } from "../../support/contract.ts";

const body = ["webhooks", "event", "post", "requestBody", "content", "application/json"];

describe("the webhooks of the OpenAPI document", () => {
  const { post } = document.webhooks["event"] ?? {};

  it("name every header of a delivery, and need no credentials", () => {
    const headers = post?.parameters.map((one) => `${one["in"]} ${one["name"]} ${one["required"]}`);
    expect(headers).to.deep.equal(
      ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => `header ${name} true`),
    );
    expect(post?.security).to.deep.equal([]);
  });

  it("say what each answer of a receiver leads to", () => {
    expect(Object.keys(post?.responses ?? {})).to.have.members(["2XX", "410", "default"]);
  });

  it("have examples that their own schema allows", () => {
    const { examples = {} } = post?.requestBody?.content["application/json"] ?? {};
    expect(Object.keys(examples)).to.have.members(["event", "test"]);
    for (const { value } of Object.values(examples)) {
      expectValid(value, ...body, "schema");
      expect(validatorAt(...body, "schema")({ ...(value as object), kind: "surprise" })).to.equal(false);
    }
  });

  it("describe every kind of event", () => {
    const text = JSON.stringify(document.components.schemas["Event"]);
    for (const kind of eventKinds) expect(text).to.include(`"${kind}"`);
  });
});
