import { lazy, Suspense, useState } from "react";
import { parseAddress } from "../../../../domain/address.ts";
import { Button } from "../../parts/Button.tsx";
import { TextInput } from "../../parts/form/TextFields.tsx";
import { Loading } from "../../shell/Loading.tsx";
import { texts } from "../../texts/texts.ts";
import { authorProblem } from "./form.ts";
import style from "./register.module.css";

// Wallets are large, and few need them here.
const AuthorFromWallet = lazy(async () => ({
  default: (await import("./AuthorFromWallet.tsx")).AuthorFromWallet,
}));

const { fields, hints, wallet } = texts.register;

type AuthorFieldProps = { value: string; problem: string | undefined; onChange(value: string): void };

/** The address that is to sign: typed, and checked when the field is left, or taken from a wallet. */
export function AuthorField({ value, problem, onChange }: AuthorFieldProps) {
  const [mistyped, setMistyped] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const take = (text: string) => {
    const parsed = parseAddress(text);
    onChange(typeof parsed === "string" ? parsed : text);
    setMistyped(undefined);
    setOpen(false);
  };
  return (
    <div className={style.author}>
      <TextInput
        name="author"
        label={fields.author}
        hint={hints.author}
        problem={problem ?? mistyped}
        value={value}
        onChange={(text) => {
          setMistyped(undefined);
          onChange(text);
        }}
        onBlur={() => setMistyped(value.trim() === "" ? undefined : authorProblem(value))}
        autoComplete="off"
        isRequired
      />
      {isOpen ? (
        <Suspense fallback={<Loading />}>
          <AuthorFromWallet onAddress={take} />
        </Suspense>
      ) : (
        <Button onPress={() => setOpen(true)}>{wallet.fill}</Button>
      )}
    </div>
  );
}
