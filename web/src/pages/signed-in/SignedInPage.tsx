import { useEffect, useState } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import { readReturnPath } from "../../identity/return-path.ts";
import { SignInPanel } from "../../identity/SignInPanel.tsx";
import { SignInProblemNotice } from "../../identity/SignInProblemNotice.tsx";
import { sessions, useSignedIn } from "../../identity/sessions.ts";
import type { SignInProblem } from "../../identity/sign-in-problem.ts";
import { Notice } from "../../parts/Notice.tsx";
import { useSettings } from "../../service/settings.ts";
import { Loading } from "../../shell/Loading.tsx";
import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";
import { endOfSignIn } from "./answer.ts";

const words = texts.identity;

/** Where the provider leads back to after signing in, which ends on the page where it began, and after signing out. */
export function SignedInPage() {
  const { identity } = useSettings();
  const signedIn = useSignedIn();
  const navigate = useNavigate();
  const { state } = useLocation();
  // Read once: the code is taken out of the address at once.
  const [answer] = useState(() => (/[?&](code|error)=/.test(location.search) ? location.href : undefined));
  const [failed, setFailed] = useState<{ problem: SignInProblem; returnTo: string }>();

  useEffect(() => {
    if (answer === undefined || identity === null) return;
    let isShown = true;
    window.history.replaceState(window.history.state, "", location.pathname);
    void endOfSignIn(identity, answer).then((end) => {
      if ("session" in end) sessions.begin(end.session);
      if (!isShown) return;
      if ("session" in end) void navigate(end.returnTo, { replace: true });
      else setFailed(end);
    });
    return () => {
      isShown = false;
    };
  }, [answer, identity, navigate]);

  if (answer !== undefined && identity !== null && failed === undefined) {
    return (
      <Page title={words.signingIn}>
        <Loading />
      </Page>
    );
  }
  if (signedIn.status === "in") {
    return (
      <Page title={words.alreadyIn}>
        <Notice tone="good">
          <Link to={readReturnPath(undefined)}>{words.goOn}</Link>
        </Notice>
      </Page>
    );
  }
  if (failed === undefined) {
    return (
      <Page title={words.signedOut}>
        {state?.isHereOnly === true && <Notice tone="warn">{words.hereOnly}</Notice>}
        <SignInPanel why={words.signedOutHint} returnTo={readReturnPath(undefined)} />
      </Page>
    );
  }
  return (
    <Page title={words.notSignedIn}>
      <SignInProblemNotice problem={failed.problem} />
      <SignInPanel why={words.tryAgain} returnTo={failed.returnTo} />
    </Page>
  );
}
