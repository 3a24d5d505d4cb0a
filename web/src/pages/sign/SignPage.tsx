import { useParams } from "react-router";
import { WalletProvider } from "../../wallet/WalletProvider.tsx";
import { RequestPage } from "./RequestPage.tsx";

/** The page that the link to sign leads to. */
export function SignPage() {
  const { transactionId = "" } = useParams();
  return (
    <WalletProvider>
      <RequestPage key={transactionId} id={transactionId} />
    </WalletProvider>
  );
}
