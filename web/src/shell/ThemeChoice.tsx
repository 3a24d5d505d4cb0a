import { useState } from "react";
import { texts } from "../texts/texts.ts";
import style from "./ThemeChoice.module.css";
import { savedTheme, saveTheme, type Theme, themes } from "./theme.ts";

/** Light or dark, or as the system has it. */
export function ThemeChoice() {
  const [theme, setTheme] = useState(savedTheme);
  const choose = (chosen: Theme) => {
    saveTheme(chosen);
    setTheme(chosen);
  };
  return (
    <label className={style.choice}>
      <span>{texts.shell.theme}</span>
      <select value={theme} onChange={({ target }) => choose(target.value as Theme)}>
        {themes.map((name) => (
          <option key={name} value={name}>
            {texts.shell.themes[name]}
          </option>
        ))}
      </select>
    </label>
  );
}
