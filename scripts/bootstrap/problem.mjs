/** Something that a person has to put right; its message is all that they are shown. */
export class Problem extends Error {}
