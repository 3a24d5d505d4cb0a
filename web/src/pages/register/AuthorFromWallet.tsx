import { useState } from "react";
import { Button } from "../../parts/Button.tsx";
import { texts } from "../../texts/texts.ts";
import { useWallet } from "../../wallet/use-wallet.ts";
import { WalletName } from "../../wallet/WalletName.tsx";
import { WalletProblem } from "../../wallet/WalletProblem.tsx";
import { WalletProvider } from "../../wallet/WalletProvider.tsx";
import { WalletError } from "../../wallet/wallet-error.ts";
import style from "./register.module.css";

type AuthorFromWalletProps = { onAddress(address: string): void };

/** Asks one of the browser's wallets for the address of its account. */
export function AuthorFromWallet(props: AuthorFromWalletProps) {
  return (
    <WalletProvider>
      <Choices {...props} />
    </WalletProvider>
  );
}

const words = texts.register.wallet;

function Choices({ onAddress }: AuthorFromWalletProps) {
  const { choices, connect } = useWallet();
  const [error, setError] = useState<WalletError>();
  if (choices.length === 0) return <p className={style.soft}>{words.none}</p>;
  const take = async (id: string) => {
    setError(undefined);
    try {
      const ask = await connect(id);
      const accounts = await ask("eth_accounts");
      const [first] = Array.isArray(accounts) ? accounts : [];
      if (typeof first === "string") onAddress(first);
    } catch (thrown) {
      if (!(thrown instanceof WalletError)) throw thrown;
      setError(thrown);
    }
  };
  return (
    <div className={style.stack}>
      <p className={style.soft}>{words.choose}</p>
      <div className={style.actions}>
        {choices.map((wallet) => (
          <Button key={wallet.id} onPress={() => take(wallet.id)}>
            <WalletName wallet={wallet} />
          </Button>
        ))}
      </div>
      {error !== undefined && <WalletProblem error={error} />}
    </div>
  );
}
