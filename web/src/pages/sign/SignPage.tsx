import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";

export function SignPage() {
  return <Page title={texts.sign.title} />;
}
