/** Why a webhook is paused or ended, by code. */
export const webhookReasons = {
  asked: "its tenant paused it",
  failing: "its deliveries have failed for too long",
  gone: "its receiver answered 410 Gone",
} as const;

export type WebhookReason = keyof typeof webhookReasons;

/** `paused`: events are kept for it, and sent once it is active again. `ended`: none are. */
export const webhookStates = ["active", "paused", "ended"] as const;
export type WebhookState = (typeof webhookStates)[number];
