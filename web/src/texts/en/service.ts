export const service = {
  unreachable: "The service cannot be reached just now. Check your connection, then try again.",
  tooMany: "Too many questions came from your network in a short time. Wait a minute, then try again.",
  refused: (message: string) => `The service refused: ${message}`,
  unexpected:
    "The service's answer could not be understood. Reload the page; if that does not help, tell the operator.",
};
