export const wallets = {
  title: "Wallets",
};
