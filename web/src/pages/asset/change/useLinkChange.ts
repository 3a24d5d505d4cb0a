import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { useKeyedRegistry } from "../../../service/use-api-key.ts";

type LinkChangeAsked = { kind: "link" | "revoke"; targets: readonly string[] };

/** Asks for a change of the links from an asset, and leads to the page where its author signs. */
export function useLinkChange(parent: string) {
  const registry = useKeyedRegistry();
  const navigate = useNavigate();
  return useMutation({
    mutationFn({ kind, targets }: LinkChangeAsked) {
      if (registry === undefined) throw new Error("There is no API key.");
      return kind === "link" ? registry.link(parent, targets) : registry.revokeLinks(parent, targets);
    },
    onSuccess: ({ transactionId }) => navigate(`/sign/${transactionId}`),
  });
}
