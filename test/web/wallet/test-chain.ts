/** Settings of the chain on which the tests' registry is. */
export const testChain = {
  id: 31_337,
  name: "Test chain",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrl: null,
  explorerUrl: null,
};
