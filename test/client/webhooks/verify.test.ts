import { webcrypto } from "node:crypto";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import {
  ArgumentError,
  verifyWebhook,
  type WebhookDelivery,
  WebhookError,
} from "../../../client/src/client.ts";
import { anEvent } from "../../support/event-service.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const other = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const event = { ...anEvent(17, "Confirmed"), data: { name: "Pachtvertrag Żółć ✓" } };
const body = JSON.stringify(event);

async function rejection(promise: Promise<unknown>): Promise<Error> {
  return await promise.then(
    () => expect.fail("it succeeded"),
    (error: Error) => error,
  );
}

/** A delivery as the library of the specification signs it. */
function signed(text = body, { id = event.id, by = [secret], age = 0 } = {}) {
  const at = new Date(Date.now() - age * 1000);
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": by.map((one) => new Webhook(one).sign(id, at, text)).join(" "),
  };
  return { headers, body: text, secrets: [secret] };
}

describe("verifying a delivery of a webhook", () => {
  it("accepts what the library of the specification signed, and answers its event", async () => {
    const delivery = signed();
    expect(new Webhook(secret).verify(body, delivery.headers)).to.deep.equal(event);
    const bytes = new TextEncoder().encode(body);
    const shifted = new Uint8Array([0, ...bytes]).subarray(1);
    for (const given of [body, bytes, Buffer.from(body), bytes.buffer, shifted]) {
      expect(await verifyWebhook({ ...delivery, body: given })).to.deep.equal(event);
    }
  });

  it("accepts the example of the specification", async () => {
    // https://github.com/standard-webhooks/standard-webhooks: the test of its libraries.
    const [id, timestamp, payload] = ["msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, '{"test": 2432232314}'];
    const error = await rejection(
      verifyWebhook({
        headers: {
          "webhook-id": id,
          "webhook-timestamp": String(timestamp),
          "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        },
        body: payload,
        secrets: secret,
        toleranceSeconds: Number.POSITIVE_INFINITY,
      }),
    );
    // The signature is right, and the body none of this service.
    expect(error).to.be.instanceOf(WebhookError).and.include({ code: "BODY_WRONG" });
  });

  it("takes headers however they are written", async () => {
    const { headers, ...rest } = signed();
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const given of [new Headers(headers), upper, lists]) {
      expect(await verifyWebhook({ headers: given, ...rest })).to.deep.equal(event);
    }
  });

  it("accepts one of two signatures by one of two secrets, while they are rotated", async () => {
    for (const [by, secrets] of [
      [[secret, other], [secret]],
      [[other, secret], [secret]],
      [[secret], [other, secret]],
      [[secret], secret],
      [[secret], secret.replace("whsec_", "")],
    ] as const) {
      expect(await verifyWebhook({ ...signed(body, { by: [...by] }), secrets })).to.deep.equal(event);
    }
    const delivery = signed();
    const signature = `v1a,AAAA v2,AAAA v1,AAAA ${delivery.headers["webhook-signature"]}`;
    const headers = { ...delivery.headers, "webhook-signature": signature };
    expect(await verifyWebhook({ ...delivery, headers })).to.deep.equal(event);
  });

  it("answers the event of a test", async () => {
    const test = {
      id: "x",
      kind: "webhook.test",
      time: "2026-11-29T00:00:00+00:00",
      data: { webhookId: "y" },
    };
    expect(await verifyWebhook(signed(JSON.stringify(test), { id: "x" }))).to.deep.equal(test);
  });

  it("takes a time that is off by as much as is allowed", async () => {
    for (const age of [0, 299, -299]) {
      expect(await verifyWebhook(signed(body, { age }))).to.deep.equal(event);
    }
    expect(await verifyWebhook({ ...signed(body, { age: 4_000 }), toleranceSeconds: 5_000 })).to.deep.equal(
      event,
    );
  });

  /** Signed when they are asked for: the time of a delivery counts. */
  function refused(): Record<string, [WebhookError["code"], WebhookDelivery]> {
    const { headers, ...rest } = signed();
    const changed = (name: string, value: string | undefined) => ({
      ...rest,
      headers: { ...headers, [name]: value },
    });
    const old = signed(body, { age: 310 });
    const early = signed(body, { age: -310 });
    const right = headers["webhook-signature"];
    return {
      "another body": ["SIGNATURE_WRONG", { ...rest, headers, body: `${body} ` }],
      "another id": ["SIGNATURE_WRONG", changed("webhook-id", "other")],
      "another time": [
        "SIGNATURE_WRONG",
        changed("webhook-timestamp", String(Number(headers["webhook-timestamp"]) - 1)),
      ],
      "another secret": ["SIGNATURE_WRONG", { ...rest, headers, secrets: [other] }],
      "part of a signature": ["SIGNATURE_WRONG", changed("webhook-signature", "v1,AAAA")],
      "a signature that is the last of hundreds": [
        "SIGNATURE_WRONG",
        changed("webhook-signature", `${"v1,AAAA ".repeat(500)}${right}`),
      ],
      "a signature of another version": [
        "SIGNATURE_MALFORMED",
        changed("webhook-signature", right.replace("v1", "v1a")),
      ],
      "a signature that is no base64": ["SIGNATURE_MALFORMED", changed("webhook-signature", "v1,no~base64")],
      "a signature of half a group": ["SIGNATURE_MALFORMED", changed("webhook-signature", "v1,AAAAA")],
      "no signature": ["HEADER_MISSING", changed("webhook-signature", undefined)],
      "no id": ["HEADER_MISSING", changed("webhook-id", "")],
      "no time": ["HEADER_MISSING", changed("webhook-timestamp", undefined)],
      "a time that is none": ["TIME_WRONG", changed("webhook-timestamp", "yesterday")],
      "a time of ten minutes ago": ["TIME_WRONG", old],
      "a time of tomorrow": ["TIME_WRONG", early],
      "a signed body that is no event": ["BODY_WRONG", signed("[]")],
      "a signed body that is no JSON": ["BODY_WRONG", signed("<p>")],
      "a signed event with another id than its header": ["BODY_WRONG", signed(body, { id: "other" })],
    };
  }
  for (const name of Object.keys(refused())) {
    it(`refuses ${name}, and says so`, async () => {
      const [code, delivery] = refused()[name] as [string, WebhookDelivery];
      const error = await rejection(verifyWebhook(delivery));
      expect(error).to.be.instanceOf(WebhookError).and.include({ code });
      expect(error.message).to.match(/^[A-Z].*\.$/);
      expect(error.message).to.not.contain("MfKQ");
    });
  }

  const mistakes: Record<string, Partial<Record<keyof WebhookDelivery, unknown>>> = {
    "a body that a parser has read": { body: event },
    "no body": { body: undefined },
    "no secret": { secrets: [] },
    "a secret that no variable holds": { secrets: undefined },
    "an empty secret": { secrets: ["whsec_"] },
    "a secret that is no base64": { secrets: "whsec_-_-" },
    "a secret that is no text": { secrets: [undefined] },
    "a tolerance that is none": { toleranceSeconds: Number.NaN },
    "a platform without WebCrypto": { crypto: {} },
  };
  for (const [name, wrong] of Object.entries(mistakes)) {
    it(`calls it a mistake of the caller: ${name}`, async () => {
      const error = await rejection(verifyWebhook({ ...signed(), ...wrong } as WebhookDelivery));
      expect(error).to.be.instanceOf(ArgumentError);
      expect(error.message).to.not.contain("MfKQ");
    });
  }

  it("takes the WebCrypto that it is given, where the platform has none", async () => {
    const kept = Object.getOwnPropertyDescriptor(globalThis, "crypto");
    Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
    try {
      expect(await rejection(verifyWebhook(signed()))).to.be.instanceOf(ArgumentError);
      expect(
        await verifyWebhook({ ...signed(), crypto: webcrypto as typeof globalThis.crypto }),
      ).to.deep.equal(event);
    } finally {
      if (kept !== undefined) Object.defineProperty(globalThis, "crypto", kept);
    }
  });
});
