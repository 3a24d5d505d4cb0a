import { Suspense } from "react";
import { NavLink, Outlet, ScrollRestoration } from "react-router";
import { Account } from "../identity/Account.tsx";
import { SignInProblemNotice } from "../identity/SignInProblemNotice.tsx";
import { useSignIn } from "../identity/use-sign-in.ts";
import { useSettings } from "../service/settings.ts";
import { texts } from "../texts/texts.ts";
import { Footer } from "./Footer.tsx";
import style from "./Frame.module.css";
import { IndexBanner } from "./IndexBanner.tsx";
import { Loading } from "./Loading.tsx";
import { ThemeChoice } from "./ThemeChoice.tsx";

/** What surrounds every page. */
export function Frame() {
  return (
    <div className={style.frame}>
      <a className={style.skip} href="#content">
        {texts.shell.skip}
      </a>
      <Suspense fallback={<Loading />}>
        <FrameWithSettings />
      </Suspense>
    </div>
  );
}

function FrameWithSettings() {
  const { identity } = useSettings();
  const { signIn, isLeaving, problem } = useSignIn();
  return (
    <>
      <header className={style.header}>
        <NavLink to="/" className={style.brand} end>
          {texts.shell.product}
        </NavLink>
        <nav aria-label={texts.shell.navigation} className={style.navigation}>
          <NavLink to="/" end>
            {texts.shell.home}
          </NavLink>
          {/* Its policy differs, so that a node of the visitor's choice can be asked: the document is loaded anew. */}
          <NavLink to="/verify" reloadDocument>
            {texts.shell.verify}
          </NavLink>
          <NavLink to="/register">{texts.shell.register}</NavLink>
          {identity !== null && (
            <>
              <NavLink to="/inbox">{texts.shell.inbox}</NavLink>
              <NavLink to="/wallets">{texts.shell.wallets}</NavLink>
            </>
          )}
        </nav>
        <div className={style.side}>
          <Account onSignIn={signIn} isLeaving={isLeaving} />
          <ThemeChoice />
        </div>
      </header>
      <div>
        <IndexBanner />
        {problem !== undefined && <SignInProblemNotice problem={problem} flat />}
      </div>
      <main id="content" tabIndex={-1} className={style.main}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
      <Footer />
      <ScrollRestoration />
    </>
  );
}
