import { userNameRule } from "./developer-login.ts";
import { plainPage } from "./plain-page.ts";

/** Users to try the service with; any other name will do as well. */
export const demoUsers = ["alice", "bob", "carol"] as const;

/** The page on which a developer chooses who to be; `refused` says that the name before was none. */
export function signInPage({ refused = false } = {}): string {
  const buttons = demoUsers.map((name) => `<button name="user" value="${name}">${name}</button>`);
  return plainPage(
    "Sign in",
    `<p>This identity provider is for development: it asks for no password and believes every name. Who are you?</p>
<form method="post">
${buttons.join("\n")}
</form>
<form method="post">
${refused ? `<p role="alert">${userNameRule}</p>` : ""}
<label for="user">Or anybody else:</label>
<input id="user" name="user" required maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false">
<button>Sign in</button>
</form>
<form method="post">
<button name="cancel" value="yes">Cancel</button>
</form>`,
  );
}

/** The page that asks whether to sign out, around the provider's own form. */
export function signOutPage(form: string): string {
  return plainPage(
    "Sign out?",
    `${form}
<div class="choices">
<button form="op.logoutForm" name="logout" value="yes">Sign out</button>
<button form="op.logoutForm">Stay signed in</button>
</div>`,
  );
}

/** The page after a sign-out that leads nowhere. */
export const signedOutPage = plainPage("Signed out", "<p>You can close this page.</p>");
