/** The fixture as a program, which `bundled-fixture.ts` bundles: `fixture-program.ts [legacy|modern|exits-on-probe|silent-on-probe|reads-slowly|VERSION] [--many N] [--endless] [--pid] [--fork] [--valid]`. */
import { spawn } from 'node:child_process';
import { Transform } from 'node:stream';
import { parseArgs } from 'node:util';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { fixtureServer } from './fixture-server.ts';

const { values, positionals } = parseArgs({
  options: {
    many: { type: 'string', default: '0' },
    endless: { type: 'boolean', default: false },
    fork: { type: 'boolean', default: false },
    pid: { type: 'boolean', default: false },
    valid: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const era = positionals[0] ?? 'legacy';
const options = {
  many: Number(values.many),
  endless: values.endless,
  valid: values.valid,
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
  'silent-on-probe': () => {
    const withoutProbe = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const lines = String(chunk).split(/(?<=\n)/);
        done(null, lines.filter((line) => !line.includes('server/discover')).join(''));
      },
    });
    return fixtureServer(options).connect(new StdioServerTransport(process.stdin.pipe(withoutProbe), process.stdout));
  },
  'reads-slowly': () => {
    const slow = new Transform({
      readableHighWaterMark: 65_536,
      writableHighWaterMark: 65_536,
      transform: (chunk: Buffer, _encoding, done) => void setTimeout(() => done(null, chunk), 5),
    });
    return fixtureServer(options).connect(new StdioServerTransport(process.stdin.pipe(slow), process.stdout));
  },
};
await servers[/^\d/.test(era) ? (era < '2026' ? 'legacy' : 'modern') : era]?.();
