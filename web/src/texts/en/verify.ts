export const verify = {
  title: "Verify",
};
