import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";

export function VerifyPage() {
  return <Page title={texts.verify.title} />;
}
