import type { LocalAccount } from "viem";
import type { Answer, TestApi } from "./api.ts";

/** Connects an account to the user of a token, as a wallet does it. */
export async function connect(api: TestApi, bearer: string, account: LocalAccount): Promise<Answer> {
  const started = await api.call("POST", "/wallets/", { key: null, bearer });
  const signature = await account.signTypedData(JSON.parse(started.value.serializedValue));
  return api.post(
    `/wallets/${started.value.id}/confirm`,
    { ethereumAddress: account.address, signature },
    { key: null, bearer },
  );
}
