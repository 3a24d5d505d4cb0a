import { Link } from "react-router";
import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";

export function NotFoundPage() {
  return (
    <Page title={texts.notFound.title}>
      <p>{texts.notFound.hint}</p>
      <p>
        <Link to="/">{texts.notFound.home}</Link>
      </p>
    </Page>
  );
}
