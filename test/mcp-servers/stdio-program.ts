/** The fixture as a program: `stdio-program.ts [legacy|modern|exits-on-probe|VERSION] [--many N] [--pid] [--fork]`. */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { fixtureServer } from './fixture-server.ts';

const { values, positionals } = parseArgs({
  options: {
    many: { type: 'string', default: '0' },
    fork: { type: 'boolean', default: false },
    pid: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const era = positionals[0] ?? 'legacy';
const options = {
  many: Number(values.many),
  added: values.pid ? ['echo_pid'] : [],
  ...(/^\d/.test(era) ? { versions: [era] } : {}),
};

if (values.fork) spawn('sleep', ['1000'], { stdio: 'inherit' }).unref();

const servers: Readonly<Record<string, () => unknown>> = {
  legacy: () => fixtureServer(options).connect(new StdioServerTransport()),
  modern: () => serveStdio(() => fixtureServer(options)),
  'exits-on-probe': () =>
    process.stdin.once('data', (chunk) => {
      if (String(chunk).includes('server/discover')) process.exit(1);
      process.stdin.unshift(chunk);
      void fixtureServer(options).connect(new StdioServerTransport());
    }),
};
await servers[/^\d/.test(era) ? (era < '2026' ? 'legacy' : 'modern') : era]?.();
