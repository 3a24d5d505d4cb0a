import { QRCodeSVG } from "qrcode.react";
import style from "./QrCode.module.css";

type QrCodeProps = {
  value: string;
  /** What a scanner gets, for those who cannot see it. */
  label: string;
  /** Width in pixels. */
  size?: number;
};

/** A QR code, dark on white in dark colours too, because many scanners read no other. */
export function QrCode({ value, label, size = 192 }: QrCodeProps) {
  return (
    <QRCodeSVG
      className={style.code}
      value={value}
      title={label}
      size={size}
      level="M"
      marginSize={4}
      bgColor="#ffffff"
      fgColor="#000000"
    />
  );
}
