export const asset = {
  title: "Asset",
};
