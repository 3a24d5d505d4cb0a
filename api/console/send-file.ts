import type { Request, Response } from "express";
import type { BuiltFile } from "./built-files.ts";
import { encodings } from "./encodings.ts";

/** Extensions of files that compression makes smaller. */
const compressible = [".html", ".js", ".css", ".svg", ".json", ".webmanifest", ".wasm", ".txt", ".ico"];
/** Bytes below which it saves nothing that matters. */
const LEAST_BYTES = 1_000;

/** Sends a file, compressed where the caller takes it, or 304 where the caller has it. */
export async function sendFile(
  request: Request,
  response: Response,
  file: BuiltFile,
  cacheControl: string,
): Promise<void> {
  const { extension, bytes, digest } = file;
  const shrinks = bytes.length >= LEAST_BYTES && compressible.includes(extension);
  const accepted = shrinks ? request.acceptsEncodings([...encodings, "identity"]) : false;
  const encoding = encodings.find((one) => one === accepted);
  const body = encoding === undefined ? bytes : await file.encoded(encoding);
  response.type(extension || ".bin");
  response.setHeader("Cache-Control", cacheControl);
  response.setHeader("ETag", encoding === undefined ? `"${digest}"` : `"${digest}-${encoding}"`);
  if (shrinks) response.vary("Accept-Encoding");
  if (encoding !== undefined) response.setHeader("Content-Encoding", encoding);
  if (request.fresh) {
    response.removeHeader("Content-Type");
    response.removeHeader("Content-Encoding");
    response.statusCode = 304;
    response.end();
    return;
  }
  response.setHeader("Content-Length", body.length);
  response.end(body);
}
