import { z } from "zod";

/** The page of the console on which an author signs or refuses this request; its URL is as secret as the id. */
export const signUrlOf = (publicUrl: string, requestId: string): string =>
  `${publicUrl}/console/sign/${requestId}`;

export const signUrlAnswer = z.string().meta({
  format: "uri",
  description:
    "The page to send to the author, who signs or refuses there with a wallet; as secret as the id",
});
