/** An instant in the visitor's own time zone and its name, with the exact UTC as its title. */
export function Time({ at }: { at: string }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {format.format(date)}
    </time>
  );
}

const format = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "long",
});
