import type { SignInFailure } from "../../identity/sign-in-problem.ts";

type Said = { title: string; next: string };

export const identity = {
  signIn: "Sign in",
  signInAgain: "Sign in again",
  signInAt: (provider: string) => `Sign in at ${provider}`,
  signOut: "Sign out",
  signedInAs: "Signed in as",
  signInTitle: "Sign in first",
  howItWorks:
    "You sign in on the provider's own page and come back here. This tab alone remembers it, until you sign out or close the tab.",
  ended: "Your sign-in has ended",
  endedHint:
    "It holds for a limited time only. Nothing was lost: sign in again, and you are back on this page.",
  none: "Nobody signs in to this service",
  noneHint:
    "Its operator has set up no identity provider for the console. What you are asked to sign reaches you by the link that you are sent.",
  elsewhere: "You have opened this page at another address than the service's own",
  goThere: (url: string) => `Go on at ${url}, where you can sign in.`,
  signingIn: "Signing you in",
  alreadyIn: "You are signed in",
  goOn: "Go on to your inbox",
  signedOut: "You are signed out",
  signedOutHint: "Sign in to see what waits for your signature, and to connect your wallets.",
  hereOnly:
    "You are signed out here. The identity provider could not be told: on a machine that others use, sign out there too.",
  notSignedIn: "You were not signed in",
  tryAgain: "You can try again; what you came for is still there.",
  said: (text: string) => `It said: ${text}`,
  failures: {
    INSECURE: {
      title: "This page cannot sign anybody in",
      next: "It was loaded without encryption. Open it by its address that begins with https://.",
    },
    NO_STORAGE: {
      title: "Your browser does not let this page remember that you sign in",
      next: "Allow this site to store data in the browser's settings, then try again.",
    },
    UNREACHABLE: {
      title: "The identity provider cannot be reached just now",
      next: "Check your connection and try again in a moment. Everything that needs no sign-in works meanwhile.",
    },
    REFUSED: {
      title: "The sign-in was cancelled at the identity provider",
      next: "Nothing was changed. Sign in again if you did not mean that.",
    },
    NOT_OURS: {
      title: "This sign-in does not belong to this tab",
      next: "It was begun in another tab, or its page has been opened a second time. Sign in here once more.",
    },
    TOO_LATE: {
      title: "The sign-in took too long",
      next: "The identity provider does not take it any more. Sign in once more.",
    },
    DECLINED: {
      title: "The identity provider declined",
      next: "Try again. If it says the same, tell the operator of this service.",
    },
    BAD_ANSWER: {
      title: "The identity provider's answer could not be understood",
      next: "Try again. If it happens again, tell the operator of this service.",
    },
  } satisfies Record<SignInFailure, Said>,
};
