import type { Pool } from "../../db/core/pool.ts";

/** Notes, inside the database, which process moves the cursor: the order of the notes is that of the commits. */
export async function watchWriters(pool: Pool): Promise<void> {
  await pool.query(`
    create table public.writers (
      at bigint generated always as identity primary key,
      writer text not null default current_setting('application_name'),
      moved_at timestamptz not null default clock_timestamp()
    );
    create function public.note_writer() returns trigger language plpgsql as
      $$ begin insert into public.writers default values; return null; end $$;
    create trigger note_writer after insert or update on chain.cursor
      for each row execute function public.note_writer();`);
}

export type Reign = { writer: string; first: Date; last: Date; writes: number };

/** Who wrote, one after the other. A writer who stands twice in it wrote after another had taken over. */
export async function reigns(pool: Pool): Promise<Reign[]> {
  const { rows } = await pool.query<Reign>(
    `select writer, min(moved_at) as first, max(moved_at) as last, count(*)::int as writes from (
       select *, at - row_number() over (partition by writer order by at) as island from (
         select row_number() over (order by at) as at, writer, moved_at from public.writers) numbered
     ) islands
     group by writer, island order by min(at)`,
  );
  return rows;
}

/** Writers that wrote again after another one had. */
export function intruders(all: readonly Reign[]): string[] {
  const names = all.map(({ writer }) => writer);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
