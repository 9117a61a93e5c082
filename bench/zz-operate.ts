import pg from 'pg';
import { startPostgres } from '../test/support/postgres.ts';
const cluster = await startPostgres({ lasting: true });
const url = new URL(cluster.address('x')); url.search = '';
const c = new pg.Client({ connectionString: url.href }); await c.connect();
const cols = `seq bigint, at bigint NOT NULL, type text NOT NULL, call text NOT NULL, session text NOT NULL, tool text NOT NULL, outcome text NOT NULL, writer text NOT NULL, body text NOT NULL, hash text NOT NULL, server text NOT NULL, decision text NOT NULL, principal text NOT NULL, ms double precision`;
const index = (t: string) => `CREATE INDEX ON ${t} (at); CREATE INDEX ON ${t} (at, seq) WHERE type = 'ToolInvoked'; CREATE INDEX ON ${t} (call) WHERE call <> ''; CREATE INDEX ON ${t} (session, seq) WHERE session <> ''; CREATE INDEX ON ${t} (tool, seq) WHERE tool <> ''; CREATE INDEX ON ${t} (outcome, seq) WHERE outcome <> ''; CREATE INDEX ON ${t} (server, seq) WHERE server <> '';`;
const N = 600000;
const rows = (from: number, to: number) => `SELECT i, 1700000000000+i*100, 'ToolInvoked', 'call_'||md5(i::text), 'session_'||(i%200), 'mcp__s__t'||(i%10), 'completed', 'writer_1', repeat(md5(i::text), 18), md5(i::text)||md5(i::text), 's'||(i%6), 'allow', 'user', 3.5 FROM generate_series(${from}, ${to}) i`;
async function time(what: string, work: () => Promise<unknown>, per = 1) { const t = performance.now(); await work(); console.log(what.padEnd(50), ((performance.now()-t)/per).toFixed(per===1?0:3), 'ms'); }
for (const parts of [0, 12, 120]) {
  await c.query('DROP TABLE IF EXISTS j CASCADE');
  if (parts === 0) await c.query(`CREATE TABLE j (${cols}, PRIMARY KEY (seq)); ${index('j')}`);
  else { await c.query(`CREATE TABLE j (${cols}, PRIMARY KEY (seq)) PARTITION BY RANGE (seq); ${index('j')}`);
    const size = N*1.1/parts; for (let p = 0; p < parts; p++) await c.query(`CREATE TABLE j_${p} PARTITION OF j FOR VALUES FROM (${Math.floor(p*size)}) TO (${Math.floor((p+1)*size)})`); }
  console.log('--', parts, 'partitions');
  await time('fill', async () => { for (let i = 0; i < N; i += 20000) await c.query(`INSERT INTO j ${rows(i+1, i+20000)}`); });
  await c.query('ANALYZE j');
  await time('append of 16, each', async () => { for (let i = 0; i < 1000; i++) await c.query({ name: 'ins'+parts, text: `INSERT INTO j ${rows(0,0).replace(/generate_series\(0, 0\)/, 'generate_series($1::int, $2::int)')}`, values: [N+i*16+1, N+i*16+16] }); }, 1000);
  await time('by call, each', async () => { for (let i = 0; i < 1000; i++) await c.query({ name: 'call'+parts, text: `SELECT seq FROM j WHERE call = $1 AND call <> '' ORDER BY seq DESC LIMIT 1`, values: ['call_'+i] }); }, 1000);
  await time('newest 100 of a tool, each', async () => { for (let i = 0; i < 200; i++) await c.query({ name: 'tool'+parts, text: `SELECT seq FROM j WHERE tool = $1 AND tool <> '' ORDER BY seq DESC LIMIT 100`, values: ['mcp__s__t'+i%10] }); }, 200);
  await time('after a place, each', async () => { for (let i = 0; i < 1000; i++) await c.query({ name: 'after'+parts, text: `SELECT seq FROM j WHERE seq > $1 ORDER BY seq LIMIT 100`, values: [i*500] }); }, 1000);
  if (parts === 0) await time('DELETE half of it in batches of 5000', async () => { for (let i = 0; i < N/2; i += 5000) await c.query('DELETE FROM j WHERE seq <= $1', [i+5000]); }), await time('VACUUM', () => c.query('VACUUM j'));
  else await time('DROP half of it', async () => { for (let p = 0; p < parts/2; p++) await c.query(`DROP TABLE j_${p}`); });
}
await c.end(); await cluster.end();
