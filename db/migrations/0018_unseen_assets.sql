-- Plans are kept for each connection. A table that was analysed while it was empty looks as if it would always be
-- read fastest as a whole, until it is analysed again; made anew, it is taken for one of unknown size.
do $$
begin
  if not exists (select from chain.assets) then
    truncate chain.assets;
  end if;
end $$;
