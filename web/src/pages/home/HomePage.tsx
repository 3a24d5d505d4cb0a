import { useMemo, useState } from "react";
import { Navigate, useNavigate, useSearchParams } from "react-router";
import { Notice } from "../../parts/Notice.tsx";
import { FileSearch } from "../../search/FileSearch.tsx";
import { SearchBox } from "../../search/SearchBox.tsx";
import { understand } from "../../search/understand.ts";
import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";
import { IndexState } from "./IndexState.tsx";
import { NewestAssets } from "./NewestAssets.tsx";
import { Results } from "./Results.tsx";

/** Searches for whatever people have of an asset; shows the newest ones until then. The search stands in the address. */
export function HomePage() {
  const [parameters, setParameters] = useSearchParams();
  const navigate = useNavigate();
  const [hasFile, setHasFile] = useState(false);
  const text = parameters.get("q") ?? "";
  const understood = useMemo(() => understand(text), [text]);

  const search = (next: string) => {
    const meant = understand(next);
    if (meant.kind === "page") return void navigate(meant.path);
    setParameters(next.trim() === "" ? {} : { q: next.trim() });
  };

  if (understood.kind === "page") return <Navigate to={understood.path} replace />;
  return (
    <Page title={texts.home.title} lead={texts.home.lead}>
      <SearchBox text={text} onSearch={search} />
      {understood.kind === "problem" && (
        <div role="alert">
          <Notice tone="warn">{texts.search.problem(understood.problem)}</Notice>
        </div>
      )}
      {understood.kind === "search" && <Results asks={understood.asks} />}
      {understood.kind !== "search" && (
        <>
          <FileSearch onFile={setHasFile} />
          {!hasFile && <NewestAssets />}
        </>
      )}
      <IndexState />
    </Page>
  );
}
