export const sign = {
  title: "Sign",
};
