/** Times from year 1 to 9999; JavaScript formats others in a way that PostgreSQL cannot parse. */
const [first, last] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/** Whether the database can hold a time as `toISOString` writes it. */
export const isStorable = (date: Date): boolean => date.getTime() >= first && date.getTime() <= last;
