import type { AddressInfo } from "node:net";
import express from "express";
import pg from "pg";

/**
 * Started by api.ts in a process of its own: what Express 5 costs that does nothing for its callers. No key,
 * no check of the id, no log, no header of ours, Express as it comes.
 */
const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 });
const constant = String(process.argv[3]);
/** The envelope of the hub's links. */
const meta = String(process.argv[4]);

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

/** A page of assets by one prepared statement: the rows that the API finds, and the bytes that it sends. */
function list(path: string, name: string, where: string, parameterOf: (key: string) => Buffer): void {
  app.get(path, async (request, response) => {
    const { rows } = await pool.query<{ body: string }>({
      name,
      text: `select answer.value as body from (
          select id, block_number, log_index from chain.assets where ${where}
          order by block_number desc, log_index desc limit $2) listed
        join bench.answers answer on answer.id = '0x' || encode(listed.id, 'hex')
        order by listed.block_number desc, listed.log_index desc`,
      values: [parameterOf(String(request.params["key"])), Number(request.query["size"])],
    });
    const value = rows.map(({ body }) => body).join();
    response.type("json").send(`{"value":[${value}],"meta":{"size":${rows.length},"page":1}}`);
  });
}

list("/author/:key", "by author", "author = $1", (digits) => Buffer.from(digits.slice(2), "hex"));
list("/file/:key", "by hash", "file_digest = $1", (digits) => Buffer.from(digits, "hex"));

/** The links to an asset by one prepared statement, as one text. */
app.get("/links/:id", async (request, response) => {
  const { rows } = await pool.query<{ list: string }>({
    name: "links",
    text: `select string_agg('"0x' || encode(parent, 'hex') || '"', ',') as list from (
        select parent from chain.links where child = $1 and revoked_block is null
        order by block_number, log_index limit $2) part`,
    values: [Buffer.from(request.params.id.slice(2), "hex"), Number(request.query["size"])],
  });
  response.type("json").send(`{"value":{"from":[${rows[0]?.list}],"to":[]},"meta":${meta}}`);
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
