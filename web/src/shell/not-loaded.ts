/** Words of browsers for what they could not load, in Chromium, Firefox and Safari; mistakes in code have other ones. */
const words = /fetch|networkerror|load|import/i;

/** Whether an error tells of a request, or of a page's code, that did not arrive: browsers throw a TypeError for both. */
export const isNotLoaded = (error: unknown): boolean =>
  error instanceof TypeError && words.test(error.message.slice(0, 200));
