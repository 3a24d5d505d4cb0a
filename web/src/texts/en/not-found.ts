export const notFound = {
  title: "There is no such page",
  hint: "The address may have been cut short when it was copied. Asset ids and hashes have 64 hex digits.",
  home: "Search from the start page",
};
