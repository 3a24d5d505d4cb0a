import type { Asset } from "asset-registry-client";
import { useState } from "react";
import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";
import { Registered } from "./Registered.tsx";
import { RegisterForm } from "./RegisterForm.tsx";

/** Asks the service to register a document, and ends at the link for its author. */
export function RegisterPage() {
  const [asset, setAsset] = useState<Asset>();
  const { title, lead } = texts.register;
  if (asset !== undefined) {
    return (
      <Page title={title}>
        <Registered asset={asset} onAnother={() => setAsset(undefined)} />
      </Page>
    );
  }
  return (
    <Page title={title} lead={lead}>
      <RegisterForm onRegistered={setAsset} />
    </Page>
  );
}
