export const registry = {
  chainId: 31_337,
  address: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
} as const;

/** The connection of a wallet as a service begins it. */
export const connection = {
  service: "https://registry.example",
  issuer: "https://id.example/",
  user: "alice",
  token: "one-time",
  expiration: "2026-11-28T02:20:43.510+00:00",
};
