import type { Command } from "commander";
import { readSettings, withKeyOptions } from "../config/settings.ts";
import type { Io } from "../io.ts";
import { exitCodes } from "../problem.ts";
import { connectService, requireApiKey } from "../service/connect.ts";
import { openSigner, type SigningOptions, withSigningOptions } from "../sign/signer.ts";
import { assetIdOf, repeated } from "./arguments.ts";
import type { End } from "./end.ts";
import { carryOut, type WaitOptions, withWaitOptions } from "./signed-change.ts";

type Options = SigningOptions & WaitOptions & { idempotencyKey?: string };
type Kind = "link" | "revoke";

const about = {
  link: "link an asset to others, under its author's signature",
  revoke: "revoke links of an asset to others, under its author's signature",
};

const examples = (kind: Kind) => `
Examples:
  asset-registry ${kind} 0x604d… 0x7b21… --keystore author.json
  asset-registry ${kind} 0x604d… 0x7b21… 0x90ce… --wait Confirmed`;

export function addLink(program: Command, io: Io, end: End): void {
  addChange("link", program, io, end);
}

export function addRevoke(program: Command, io: Io, end: End): void {
  addChange("revoke", program, io, end);
}

function addChange(kind: Kind, program: Command, io: Io, end: End): void {
  const command = program
    .command(kind)
    .description(about[kind])
    .argument("<asset>", "id of the asset that points to the others", assetIdOf)
    .argument("<other...>", "ids of the others", repeated(assetIdOf))
    .option("--idempotency-key <key>", "your own key of this change, which is made once under it");
  withKeyOptions(withWaitOptions(withSigningOptions(command)))
    .addHelpText("after", examples(kind))
    .action(async (parent: string, children: string[], options: Options) => {
      const settings = await readSettings(options, io);
      const { client } = connectService(settings, io);
      requireApiKey(settings);
      const signer = await openSigner(options, settings, io);
      const callOptions = { signal: io.signal, idempotencyKey: options.idempotencyKey };
      const request = await (kind === "link"
        ? client.link(parent, children, callOptions)
        : client.revokeLinks(parent, children, callOptions));
      await carryOut(request, { kind, parent, children }, { client, signer }, options, io);
      end(exitCodes.done);
    });
}
