import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";
import style from "./Button.module.css";

type ButtonProps = Omit<AriaButtonProps, "isPending"> & {
  kind?: "primary" | "plain" | "danger";
  /** What it began is not done: it cannot be pressed again, and keeps the focus. */
  isBusy?: boolean;
};

/** The button of every page. */
export function Button({ kind = "plain", isBusy = false, onPress, ...props }: ButtonProps) {
  return (
    <AriaButton
      {...props}
      {...(isBusy ? { "aria-disabled": true, type: "button" } : { onPress })}
      className={`${style.button} ${style[kind]}`}
    />
  );
}
