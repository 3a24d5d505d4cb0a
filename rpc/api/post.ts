import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { redirectTarget } from "../../domain/url/redirect.ts";
import { unpacked } from "./unpack.ts";

export type HttpAnswer = { status: number; headers: Record<string, string>; text: string };

/** Larger answers are refused before they fill the memory. */
const largestBody = 10 * 1024 * 1024;
const mostRedirects = 3;

/**
 * Posts JSON to one URL over connections that are kept: Node's own client, which takes a third of the time that
 * `fetch` does. Rejects with "late" where the answer has not come whole in time.
 */
export function createPost(configured: string, timeoutMs: number): (body: string) => Promise<HttpAnswer> {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  let target = new URL(configured);

  /**
   * A redirect on the same host is followed, and from then on asked there at once, as long as an answer comes from
   * there: where it led may be gone while the configured address is there.
   */
  async function post(body: string): Promise<HttpAnswer> {
    try {
      const answer = await follow(body);
      if (!isAnswer(answer)) target = new URL(configured);
      return answer;
    } catch (error) {
      target = new URL(configured);
      throw error;
    }
  }

  async function follow(body: string): Promise<HttpAnswer> {
    for (let [url, redirected] = [target, 0]; ; redirected += 1) {
      const answer = await exchange(url, body);
      const elsewhere = redirectTarget(url, answer.status, answer.headers["location"]);
      if (elsewhere === undefined) {
        target = url;
        return answer;
      }
      if (redirected === mostRedirects) throw new Error("The node redirects in circles");
      url = elsewhere;
    }
  }

  function exchange(url: URL, body: string): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const secure = url.protocol === "https:";
      const agent = secure ? agents.https : agents.http;
      const send = secure ? requestHttps : requestHttp;
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const request = send(url, { method: "POST", agent, headers });
      const end = (settle: () => void) => {
        clearTimeout(timer);
        settle();
      };
      const timer = setTimeout(() => {
        end(() => reject("late"));
        request.destroy();
      }, timeoutMs);
      request.on("error", (error: NodeJS.ErrnoException) => {
        // The node closed a connection that was kept, just as it was used again: no call got through.
        if (request.reusedSocket && error.code === "ECONNRESET")
          end(() => exchange(url, body).then(resolve, reject));
        else end(() => reject(error));
      });
      request.on("response", (response) => {
        readText(response).then(
          (text) => {
            const { statusCode: status = 0 } = response;
            end(() => resolve({ status, headers: plainHeaders(response), text }));
          },
          (error: Error) => end(() => reject(error)),
        );
      });
      request.end(body);
    });
  }

  return post;
}

/** By another status, or by a page, answers what is in the place of a node. */
const isAnswer = ({ status, text }: HttpAnswer): boolean =>
  status === 200 && ["{", "["].includes(text.trimStart().charAt(0));

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of unpacked(response)) {
    parts.push(part as Buffer);
    size += (part as Buffer).length;
    if (size > largestBody) throw new Error("The node's answer is over 10 MiB");
  }
  return Buffer.concat(parts, size).toString();
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
