import { asset } from "./en/asset.ts";
import { certificate } from "./en/certificate.ts";
import { file } from "./en/file.ts";
import { home } from "./en/home.ts";
import { identity } from "./en/identity.ts";
import { inbox } from "./en/inbox.ts";
import { notFound } from "./en/not-found.ts";
import { parts } from "./en/parts.ts";
import { register } from "./en/register.ts";
import { search } from "./en/search.ts";
import { service } from "./en/service.ts";
import { shell } from "./en/shell.ts";
import { sign } from "./en/sign.ts";
import { verify } from "./en/verify.ts";
import { wallet } from "./en/wallet.ts";
import { wallets } from "./en/wallets.ts";

/** Every text of the console that is not data, in the only language that there is so far. */
export const texts = {
  asset,
  certificate,
  file,
  home,
  identity,
  inbox,
  notFound,
  parts,
  register,
  search,
  service,
  shell,
  sign,
  verify,
  wallet,
  wallets,
};
