/** Colours as the system has them, or as the visitor chose. */
export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const key = "asset-registry-theme";

export function savedTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(key)) ?? "auto";
  } catch {
    return "auto"; // storage may be forbidden
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export function saveTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(key, theme);
  } catch {
    // It holds until the page is left.
  }
}
