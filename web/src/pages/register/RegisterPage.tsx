import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";

export function RegisterPage() {
  return <Page title={texts.register.title} />;
}
