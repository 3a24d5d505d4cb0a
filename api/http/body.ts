import express, { type Request, type Response } from "express";
import { ApiError } from "../../domain/errors.ts";
import { limits } from "../../domain/limits.ts";
import { isJsonInUtf8 } from "./media-type.ts";

// Bytes and not express.json(), which silently replaces invalid UTF-8.
const readBytes = express.raw({ type: () => true, limit: limits.bodyBytes });

// Keeps the BOM, which JSON.parse then refuses: RFC 8259 forbids it.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a body that must be one JSON object in UTF-8. An empty one counts as absent, however it was sent.
 * @returns the object, unparsed further; `{}` where there is no body and it is optional
 */
export async function readBody(request: Request, response: Response, optional: boolean): Promise<unknown> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > 0) refuseOtherTypes(request.headers["content-type"]);
  if (declared > limits.bodyBytes) throw tooLarge();
  const bytes = hasBody(request) ? await readWhole(request, response) : undefined;
  if (bytes === undefined || bytes.length === 0) {
    if (optional) return {};
    throw new ApiError("MALFORMED_JSON", "There is no body: send a JSON object.");
  }
  refuseOtherTypes(request.headers["content-type"]);
  return jsonObject(bytes);
}

async function readWhole(request: Request, response: Response): Promise<Buffer> {
  return await new Promise<Buffer>((resolve, reject) => {
    // The parser would refuse it only at the end of the body, which may never come.
    let received = 0;
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received > limits.bodyBytes) reject(tooLarge());
    });
    readBytes(request, response, (error?: unknown) => {
      if (error === undefined) resolve(request.body as Buffer);
      // An empty body needs no decompression.
      else if (received === 0 && request.complete) resolve(Buffer.alloc(0));
      else reject(error as Error);
    });
  });
}

export function tooLarge(): ApiError {
  return new ApiError("BODY_TOO_LARGE", `The body is larger than ${limits.bodyBytes} bytes.`);
}

function hasBody({ headers }: Request): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function refuseOtherTypes(type: string | undefined): void {
  if (type !== undefined && isJsonInUtf8(type)) return;
  const found = type === undefined ? "there is no Content-Type" : "the Content-Type is another";
  throw new ApiError(
    "UNSUPPORTED_MEDIA_TYPE",
    `The body must be application/json in UTF-8, but ${found}: send "Content-Type: application/json".`,
  );
}

function jsonObject(bytes: Buffer): object {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (error) {
    const problem = error instanceof SyntaxError ? "is not valid JSON" : "is not valid UTF-8";
    throw new ApiError("MALFORMED_JSON", `The body ${problem}.`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new ApiError("MALFORMED_JSON", "The body must be a JSON object: { … }.");
}
