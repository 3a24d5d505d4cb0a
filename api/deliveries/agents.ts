import http from "node:http";
import https from "node:https";

/** Connections to receivers, a few for each webhook, which nobody else's receiver can use up. */
export type Agents = {
  of(webhookId: string, isHttp: boolean): http.Agent;
  close(): void;
};

/** Webhooks whose connections are kept. */
const MOST = 512;

/** Milliseconds for which an idle connection is kept. */
const IDLE = 20_000;

/**
 * @param sockets most connections to one receiver
 * @param ca certificates that are trusted instead of the usual ones
 */
export function createAgents(sockets: number, ca?: string): Agents {
  const agents = new Map<string, http.Agent>();
  const options = { keepAlive: true, maxSockets: sockets, maxFreeSockets: 2, timeout: IDLE };
  return {
    of(webhookId, isHttp) {
      const name = `${webhookId} ${isHttp}`;
      const agent =
        agents.get(name) ??
        (isHttp ? new http.Agent(options) : new https.Agent({ ...options, ...(ca !== undefined && { ca }) }));
      // The one used last stands last.
      agents.delete(name);
      agents.set(name, agent);
      const [[oldest, unused] = []] = agents;
      if (agents.size > MOST && oldest !== undefined) {
        agents.delete(oldest);
        // One in use closes its connections when their answers have ended.
        closeIdle(unused);
      }
      return agent;
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

function closeIdle(agent: http.Agent | undefined): void {
  for (const sockets of Object.values(agent?.freeSockets ?? {})) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}
