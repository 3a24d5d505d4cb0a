import type { AddressInfo } from "node:net";
import express from "express";
import pg from "pg";

/**
 * Started by api.ts in a process of its own: what Express 5 costs that does nothing for its callers. No key,
 * no check of the id, no log, no header of ours, Express as it comes.
 */
const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 });
const constant = String(process.argv[3]);

const app = express();

/** The bytes of an answer by one prepared statement. */
app.get("/stored/:id", async (request, response) => {
  const { rows } = await pool.query<{ body: string }>({
    name: "floor",
    text: "select body from bench.answers where id = $1",
    values: [request.params.id],
  });
  response.type("json").send(rows[0]?.body);
});

/** Answers the same bytes from memory. */
app.get("/constant", (_request, response) => {
  response.type("json").send(constant);
});

app.use(express.json());

/** The floor of a write: inserts one row. */
app.post("/insert", async (request, response) => {
  const { rows } = await pool.query<{ id: string }>({
    name: "insert",
    text: "insert into bench.rows (body) values ($1) returning id",
    values: [JSON.stringify(request.body)],
  });
  response.status(202).json({ id: rows[0]?.id });
});

const server = app.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
});
