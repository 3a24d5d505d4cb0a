import { fields } from "./fields.ts";

const number = (value: number) => value.toLocaleString("en");

export const register = {
  title: "Register",
  lead: "Ask for the registration of a document. Its author then signs it with their own wallet: you get a link to send to them.",
  key: {
    title: "Your API key",
    needed: "Give your API key first: the service registers for its holders alone.",
  },
  file: {
    title: "The file",
    drop: "Drop the file to register",
    another: "Drop another file",
    hint: "It is hashed here and stays on your device. Without a file, fill in what you know of it below.",
    method: "Hash method",
    remove: "Without this file",
    empty: "This file is empty. Every empty file has the same hash.",
    done: "Hashed: the fields below are filled in.",
    weak: (weakness: string) => `${weakness} Take another method, such as SHA2-256.`,
  },
  already: {
    title: (count: number) =>
      count === 1 ? "This file is registered already" : `This file is registered already, ${count} times`,
    meaning: "You may register it again, and the older registrations stay. Look at them first:",
    by: (author: string) => `by ${author} on `,
    more: (count: number) => `and ${count} more`,
  },
  form: {
    title: "What is registered",
    warning: "All of this will be public on the chain, for ever. Leave out personal data and secrets.",
    optional: "optional",
    count: (count: number, most: number) => `${number(count)} of ${number(most)} characters`,
  },
  fields: {
    ...fields,
    author: "Author's address",
  },
  hints: {
    name: "Visible to everyone.",
    author: "It will own the asset, and signs its registration: 0x and 40 hex digits.",
    data: "A description, or a structure in JSON or XML.",
    uri: "Where the document can be had, if anywhere.",
  },
  wallet: {
    fill: "Take it from my wallet",
    choose: "Take the address of",
    none: "There is no wallet in this browser. Type the address in, or install one and reload the page.",
  },
  submit: "Ask for the registration",
  sending: "Asking …",
  problems: {
    nameMissing: "Give it a name.",
    authorMissing: "Give the address that is to sign.",
    sizeForm: "The size must be a number of bytes in decimal digits.",
    methodMissing: "Say by which method the hash was made, such as SHA2-256.",
    nul: "It must not contain the NUL character.",
    halfPair: "It holds half of a character, as if it had been cut off: paste it anew.",
    tooLong: (most: number, length: number) =>
      `At most ${number(most)} characters fit, and these are ${number(length)}.`,
    said: (field: string, message: string) => `${field} ${message}.`,
    title: "It was not registered",
    fields: (names: string) => `Correct the marked fields: ${names}.`,
    key: "The service does not take this API key. Forget it at the top of the page, and give another one there.",
    unsure:
      "No answer came, so it is open whether the request arrived. Press the button again: it is not made twice.",
  },
  done: {
    title: "Ready to sign",
    meaning:
      "The author opens this link and signs with their wallet. Nobody else can sign or refuse it, but whoever has the link can read it: send it to the author alone.",
    link: "Link for the author",
    qr: "The link to sign, as a QR code",
    open: "Open the page to sign",
    name: "Name",
    author: "Author, who signs",
    asset: "Asset id",
    another: "Register another",
  },
};
