/** What a message is to its reader: `bad` speaks against something, `warn` asks for care. */
export type Tone = "plain" | "good" | "warn" | "bad";
