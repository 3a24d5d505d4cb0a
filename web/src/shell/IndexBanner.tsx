import { useQuery } from "@tanstack/react-query";
import { Notice } from "../parts/Notice.tsx";
import { statusQuery } from "../service/status.ts";
import { texts } from "../texts/texts.ts";
import { indexProblem } from "./index-state.ts";

/** Says on every page where the index is not up to date, or the service is away. */
export function IndexBanner() {
  const { data, isError } = useQuery(statusQuery);
  const problem = isError ? texts.shell.unreachable : data && indexProblem(data);
  return (
    <div role="status">
      {problem !== undefined && (
        <Notice tone="warn" flat>
          {problem}
        </Notice>
      )}
    </div>
  );
}
