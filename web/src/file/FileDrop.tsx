import { type ReactNode, useEffect, useState } from "react";
import { DropZone, type DropZoneProps, FileTrigger, Text } from "react-aria-components";
import { Button } from "../parts/Button.tsx";
import { texts } from "../texts/texts.ts";
import style from "./FileDrop.module.css";

type FileDropProps = {
  /** The question that the zone asks. */
  title: string;
  /** A sentence below it. */
  hint?: ReactNode;
  /** Small, where files were chosen already. */
  isSmall?: boolean;
  /** Most files that are taken at once. */
  most?: number;
  onFiles(files: File[]): void;
};

type DropEvent = Parameters<NonNullable<DropZoneProps["onDrop"]>>[0];

/** A zone that takes files by dropping, pasting or choosing them, by keyboard too. Nothing of them is read here. */
export function FileDrop({ title, hint, isSmall = false, most = 1, onFiles }: FileDropProps) {
  const [problem, setProblem] = useState<string>();
  useEffect(keepPage, []);

  const take = (files: File[]) => {
    const isTaken = files.length > 0 && files.length <= most;
    setProblem(files.length > most ? texts.file.tooMany(most) : undefined);
    if (isTaken) onFiles(files);
  };
  const drop = async ({ items }: DropEvent) => {
    if (items.some(({ kind }) => kind === "directory")) return setProblem(texts.file.folder);
    const files = items.filter((item) => item.kind === "file");
    if (files.length === 0) return setProblem(texts.file.noFile);
    take(await Promise.all(files.map((item) => item.getFile())));
  };

  return (
    <DropZone className={isSmall ? style.small : style.zone} onDrop={drop} aria-label={title}>
      <Text slot="label" className={style.title}>
        {title}
      </Text>
      <FileTrigger allowsMultiple={most > 1} onSelect={(files) => files && take([...files])}>
        <Button kind="primary">{most > 1 ? texts.file.chooseSeveral : texts.file.choose}</Button>
      </FileTrigger>
      {hint !== undefined && <p className={style.hint}>{hint}</p>}
      <p role="alert" className={style.problem}>
        {problem}
      </p>
    </DropZone>
  );
}

/** Keeps a file that is dropped beside the zone from replacing the page. */
function keepPage(): () => void {
  const ignore = (event: DragEvent) => event.preventDefault();
  addEventListener("dragover", ignore);
  addEventListener("drop", ignore);
  return () => {
    removeEventListener("dragover", ignore);
    removeEventListener("drop", ignore);
  };
}
