import { z } from "zod";
import type { AssetId } from "../../domain/asset/asset.ts";
import { ApiError } from "../../domain/errors.ts";
import { visibleOutline } from "../assets/find.ts";
import { everybody } from "../assets/list.ts";
import type { Callers } from "../operation/caller.ts";
import { readRoute } from "../operation/define-route.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { assetId } from "../operation/fields.ts";
import { notOnChain } from "../public/routes.ts";
import type { ProofDocument } from "./document.ts";
import { proofAnswer, proofQuery } from "./schema.ts";

const params = z.object({ assetId });

/** Codes of what cannot be proven, or not now. */
const obstacles = [
  "ASSET_NOT_FINAL",
  "TEXTS_NOT_UTF8",
  "PROOF_UNAVAILABLE",
  "NODE_UNAVAILABLE",
  "TOO_MANY_AT_ONCE",
] as const;

/** @returns undefined of what is no asset of the chain */
async function proofOf(
  { reads, prove }: Pick<Dependencies, "reads" | "prove">,
  caller: string,
  id: AssetId,
  children: readonly AssetId[] = [],
): Promise<ProofDocument | undefined> {
  const [read, position] = await Promise.all([reads.asset(id), reads.position(id)]);
  return read && position && (await prove(caller, read.chain, position, children));
}

/** The name under which a caller's proofs wait for each other; the word in brackets is in no tenant's name. */
const nameOf = ({ tenant, user }: Callers["either"]): string =>
  tenant ?? `(user) ${user?.issuer} ${user?.subject}`;

export const proofRoutes = [
  readRoute({
    method: "get",
    path: "/assets/{assetId}/proof",
    summary:
      "Prove an asset, and whether links of it stand or were revoked, to whoever trusts the chain alone",
    access: "either",
    params,
    query: proofQuery,
    notFound: "ASSET_NOT_FOUND",
    status: 200,
    answer: proofAnswer,
    errors: ["ASSET_NOT_FOUND", ...obstacles],
    async handle({ caller, params: { assetId }, query: { links } }, services) {
      const value = await proofOf(services, nameOf(caller), assetId, links);
      if (value !== undefined) return { value };
      // One on its way to the chain is shown only to callers who may see it.
      await visibleOutline(services.pool, caller, assetId);
      throw new ApiError(
        "ASSET_NOT_FINAL",
        `The asset ${assetId} is not on the chain yet. Ask again when it is Confirmed.`,
      );
    },
  }),

  readRoute({
    method: "get",
    path: "/public/assets/{assetId}/proof",
    summary: "The same proof, without a key",
    access: "public",
    params,
    query: proofQuery,
    notFound: "ASSET_NOT_FOUND",
    status: 200,
    answer: proofAnswer,
    errors: ["ASSET_NOT_FOUND", ...obstacles],
    async handle({ params: { assetId }, query: { links } }, services) {
      const value = await proofOf(services, everybody, assetId, links);
      if (value === undefined) throw notOnChain(assetId);
      return { value };
    },
  }),
];
