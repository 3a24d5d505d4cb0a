import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";
import style from "./Button.module.css";

type ButtonProps = AriaButtonProps & { kind?: "primary" | "plain" | "danger" };

/** The button of every page; `isPending` keeps it from being pressed twice and says so to screen readers. */
export function Button({ kind = "plain", ...props }: ButtonProps) {
  return <AriaButton {...props} className={`${style.button} ${style[kind]}`} />;
}
