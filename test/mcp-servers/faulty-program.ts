/** The fixture as a program whose output fails as soon as a message contains `fault:KIND`. `faulty-program.ts ERA`. */
import { spawn } from 'node:child_process';
import { bundledFixture } from './bundled-fixture.ts';

const child = spawn(process.execPath, [bundledFixture, ...process.argv.slice(2)], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
let fault: string | undefined;

process.stdin.on('data', (chunk: Buffer) => {
  fault ??= /fault:([a-z-]+)/.exec(chunk.toString('latin1'))?.[1];
  if (fault !== 'swallow') child.stdin.write(chunk);
});
process.stdin.on('end', () => child.stdin.end());
child.stdout.on('data', (chunk: Buffer) => void forward(chunk));
child.once('exit', (code) => process.exit(code ?? 1));

async function forward(chunk: Buffer): Promise<void> {
  switch (fault) {
    case undefined:
      process.stdout.write(chunk);
      return;
    case 'reset':
      child.kill('SIGKILL');
      process.exit(1);
      return;
    case 'half-close':
      // Cuts the first response; others may follow it.
      process.stdout.end(chunk.subarray(0, Math.ceil(chunk.indexOf('\n') / 2)));
      return;
    case 'garbage':
      process.stdout.write(Buffer.from(chunk.map((byte, at) => (byte * 31 + at * 7) % 256)));
      process.stdout.write('\n{"jsonrpc":"2.0","id":null}\n[]\nnull\n');
      return;
    case 'trickle':
      for (const byte of chunk) {
        process.stdout.write(Buffer.of(byte));
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      return;
    default:
  }
}
