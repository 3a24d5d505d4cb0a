import type { Request, Response } from "express";
import { type BuiltFile, encodings } from "./built-files.ts";

/** Sends a file, compressed where the caller takes it, or 304 where the caller has it. */
export function sendFile(request: Request, response: Response, file: BuiltFile, cacheControl: string): void {
  const { extension, bytes, digest, compressed } = file;
  const smaller = encodings.filter((encoding) => compressed[encoding] !== undefined);
  const accepted = smaller.length === 0 ? false : request.acceptsEncodings([...smaller, "identity"]);
  const encoding = smaller.find((one) => one === accepted);
  const body = (encoding && compressed[encoding]) ?? bytes;
  response.setHeader("Cache-Control", cacheControl);
  response.setHeader("ETag", encoding === undefined ? `"${digest}"` : `"${digest}-${encoding}"`);
  if (smaller.length > 0) response.vary("Accept-Encoding");
  if (request.fresh) {
    response.statusCode = 304;
    response.end();
    return;
  }
  response.type(extension || ".bin");
  if (encoding !== undefined) response.setHeader("Content-Encoding", encoding);
  response.setHeader("Content-Length", body.length);
  response.end(body);
}
