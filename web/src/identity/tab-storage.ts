/** The storage of this tab, which ends with it; where the browser forbids it, each use throws. */
export const tabStorage = {
  getItem: (key: string): string | null => sessionStorage.getItem(key),
  setItem: (key: string, value: string): void => sessionStorage.setItem(key, value),
  removeItem: (key: string): void => sessionStorage.removeItem(key),
};

/** The storage of all tabs; where the browser forbids it, each use throws. */
export const sharedStorage = {
  getItem: (key: string): string | null => localStorage.getItem(key),
  setItem: (key: string, value: string): void => localStorage.setItem(key, value),
};

/** Whether a page that is opened later in this tab finds what was stored. */
export function canStore(): boolean {
  try {
    const key = "asset-registry-probe";
    sessionStorage.setItem(key, key);
    sessionStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}
