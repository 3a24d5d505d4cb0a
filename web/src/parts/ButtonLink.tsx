import { Link, type LinkProps } from "react-router";
import style from "./Button.module.css";

/** A link to another page that is the next step, and so looks like a button. */
export function ButtonLink({ kind = "plain", ...props }: LinkProps & { kind?: "primary" | "plain" }) {
  return <Link {...props} className={`${style.button} ${style.link} ${style[kind]}`} />;
}
