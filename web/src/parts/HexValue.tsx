import { CopyButton } from "./CopyButton.tsx";
import style from "./HexValue.module.css";

type HexValueProps = {
  value: string;
  /** What it is, for the button that copies it. */
  label: string;
  /** Shows the first and the last digits only, where the whole is one click away. */
  short?: boolean;
};

/** An address, id or hash in digits that are easy to tell apart, with a button to copy it whole. */
export function HexValue({ value, label, short = false }: HexValueProps) {
  return (
    <span className={style.hex}>
      <code title={short ? value : undefined}>{short ? shortHex(value) : value}</code>
      <CopyButton value={value} label={label} />
    </span>
  );
}

/** `0x1234…cdef` of a longer value. */
export function shortHex(value: string): string {
  return value.length > 14 ? `${value.slice(0, 8)}…${value.slice(-6)}` : value;
}
