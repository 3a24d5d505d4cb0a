/** Whether a name or a description is short enough, counted as the service does. */
export const isTooLong = (text: string, most: number): boolean =>
  text.length > most && [...text].length > most;

/** Labels of a wallet as they are sent: an empty one counts as none. */
export function labelsOf(name: string, description: string): { name?: string; description?: string } {
  const [shortName, shortDescription] = [name.trim(), description.trim()];
  return {
    ...(shortName === "" ? {} : { name: shortName }),
    ...(shortDescription === "" ? {} : { description: shortDescription }),
  };
}
