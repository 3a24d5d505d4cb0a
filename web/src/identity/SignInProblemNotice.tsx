import { ForeignText } from "../parts/ForeignText.tsx";
import { Notice } from "../parts/Notice.tsx";
import { texts } from "../texts/texts.ts";
import type { SignInProblem } from "./sign-in-problem.ts";

/** Why nobody was signed in, and the next step. */
export function SignInProblemNotice({
  problem: { failure, said },
  flat = false,
}: {
  problem: SignInProblem;
  flat?: boolean;
}) {
  const { title, next } = texts.identity.failures[failure];
  return (
    <div role="alert">
      <Notice tone="warn" title={title} flat={flat}>
        <p>{next}</p>
        {failure === "DECLINED" && said !== undefined && (
          <p>
            <ForeignText text={texts.identity.said(said)} most={300} />
          </p>
        )}
      </Notice>
    </div>
  );
}
