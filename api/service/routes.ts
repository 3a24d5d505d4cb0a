import { z } from "zod";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import { countUndecoded } from "../../db/reads/undecoded.ts";
import { readWaits } from "../../db/service/indexer-waits.ts";
import { readLease } from "../../db/service/lease.ts";
import { readProviders } from "../../db/service/providers.ts";
import { readRelayer } from "../../db/service/relays/relayer.ts";
import { countRelays } from "../../db/service/relays/waiting-relays.ts";
import { countOpenRequests } from "../../db/service/requests/counts.ts";
import { ApiError } from "../../domain/errors.ts";
import { remainingSeconds } from "../../domain/index/remaining.ts";
import { relayerProblem } from "../../domain/relayer/problem.ts";
import packageJson from "../../package.json" with { type: "json" };
import { readRoute } from "../operation/define-route.ts";
import { isoTime } from "../operation/time.ts";
import { figuresType } from "./metrics.ts";
import { viewProviders } from "./provider-view.ts";
import { readiness } from "./readiness.ts";
import { healthAnswer, indexStatusAnswer, nameAnswer, readyAnswer } from "./schema.ts";

const { name, version, description } = packageJson;

export const serviceRoutes = [
  readRoute({
    method: "get",
    path: "/",
    summary: "Name and version of the service; a browser is led to the console",
    access: "open",
    status: 200,
    answer: nameAnswer,
    errors: [],
    async handle() {
      const links = {
        health: "/health",
        ready: "/ready",
        status: "/status",
        metrics: "/metrics",
        openapi: "/openapi.json",
        docs: "/docs",
        console: "/console/",
      };
      return { value: { name, version, description, links } };
    },
  }),

  readRoute({
    method: "get",
    path: "/health",
    summary: "Whether the process is alive",
    access: "open",
    unlimited: true,
    status: 200,
    answer: healthAnswer,
    errors: [],
    async handle() {
      return { value: { alive: true as const } };
    },
  }),

  readRoute({
    method: "get",
    path: "/ready",
    summary: "Whether the index is caught up with the chain",
    access: "open",
    unlimited: true,
    status: 200,
    answer: readyAnswer,
    errors: ["NOT_READY"],
    async handle(_input, services) {
      const { monitor } = services;
      const answer = await monitor.share("ready", () => readiness({ ...services, pool: monitor.pool }));
      if (!answer.ready) throw new ApiError("NOT_READY", answer.problem);
      const { blockNumber: indexedBlock, headNumber: headBlock } = answer.position;
      return { value: { ready: true as const, indexedBlock, headBlock } };
    },
  }),

  readRoute({
    method: "get",
    path: "/status",
    summary: "How far the index is, of which registry on which chain",
    access: "open",
    status: 200,
    answer: indexStatusAnswer,
    errors: [],
    handle: (_input, services) =>
      services.monitor.share("status", async () => {
        const {
          registryAddress,
          confirmations,
          monitor: { pool },
        } = services;
        const [position, lease] = [await readIndexPosition(pool), await readLease(pool)];
        const relayer = await readRelayer(pool);
        const lag = position && Math.max(0, position.headNumber - position.blockNumber);
        const indexed = position && position.blockNumber >= position.startBlock ? position.blockNumber : null;
        return {
          value: {
            registry: position?.registry ?? registryAddress,
            chainId: position?.chainId ?? null,
            startBlock: position?.startBlock ?? null,
            headBlock: position?.headNumber ?? null,
            indexedBlock: indexed,
            finalBlock: position && position.finalNumber >= 0 ? position.finalNumber : null,
            lag: lag ?? null,
            confirmations: position?.confirmations ?? confirmations,
            pendingRequests: await countOpenRequests(pool),
            undecodedLogs: await countUndecoded(pool),
            haltedReason: position?.haltedReason ?? null,
            waitingFor: (await readWaits(pool)).map(({ work, problem, provider, since }) => ({
              work,
              problem,
              provider: provider ?? null,
              since: isoTime(since),
            })),
            providers: viewProviders(await readProviders(pool)).map(
              ({ answered: _answered, failed: _failed, ...shown }) => shown,
            ),
            indexerRunning: lease.holder !== undefined,
            relayer: relayer
              ? {
                  address: relayer.address,
                  balance: String(relayer.balance),
                  problem: relayerProblem(relayer) ?? null,
                  ...(await countRelays(pool)),
                }
              : null,
            blocksPerSecond: lease.blocksPerSecond ?? null,
            remainingSeconds: remainingSeconds(lag, lease.blocksPerSecond) ?? null,
          },
        };
      }),
  }),

  readRoute({
    method: "get",
    path: "/metrics",
    summary: "The same and more as figures for Prometheus",
    access: "open",
    unlimited: true,
    metrics: true,
    status: 200,
    textType: figuresType,
    answer: z.string(),
    errors: ["METRICS_TOKEN_INVALID"],
    async handle(_input, { figures }) {
      return { value: await figures.read() };
    },
  }),
];
