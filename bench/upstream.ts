/**
 * Measures the overhead of Signalbox for a call of an external server: the whole pipeline with its journal on disk, compared with
 * the plain client of the MCP SDK and other libraries, on the same server programs.
 *
 *   npm run bench -- upstream
 */
import { fixtureProgram } from '../test/mcp-servers/programs.ts';
import { programAt } from './support/gateway/gateways.ts';
import { installPeers, installedPeers } from './support/gateway/install-peers.ts';
import {
  type Called,
  type ConnectedClient,
  type LibraryClient,
  hasSetsid,
  peerClients,
  sdkClient,
  sdkClientSeparateSession,
  signalbox,
} from './support/library-clients.ts';
import { type Measurement, measure, printTable, throughputOf } from './support/measure.ts';
import { startProgram, stopPrograms } from './support/start-program.ts';

/** `--quick` is a smoke test: few calls, and other libraries only if they are installed. */
const isQuick = process.argv.includes('--quick');
const eras = isQuick ? ['legacy'] : ['legacy', 'modern'];
const peers = peerClients(isQuick ? installedPeers() : installPeers());

async function compare(
  title: string,
  { calls, warmUpCalls }: { readonly calls: number; readonly warmUpCalls: number },
  called: Called,
  libraries: readonly LibraryClient[],
): Promise<void> {
  const connected: (ConnectedClient & { readonly name: string })[] = [];
  try {
    for (const library of libraries) connected.push(await connectChecked(library, called));
    for (const [concurrency, each, measuring] of [
      // All subjects get faster for some ten thousand calls, until all of their code is compiled.
      [1, calls, { rounds: 200, warmUp: Math.ceil(warmUpCalls / calls), pauseMs: 5 }],
      [32, calls * 10, { rounds: 100, warmUp: 10, pauseMs: 20 }],
    ] as const) {
      const subjects = connected.map(({ name, echo }) => ({
        name,
        calls: each,
        run: (index: number) => echo(`call ${index}`),
      }));
      const measured = await measure(subjects, {
        concurrency,
        ...measuring,
        ...(isQuick ? { rounds: 1, warmUp: 1 } : {}),
      });
      printTable(`${title}, ${concurrency === 1 ? 'one' : concurrency} at a time`, measured, sdkClient.name);
      printThroughput(measured);
    }
  } finally {
    await Promise.all(connected.map((each) => each.close()));
  }
}

/** Connects, and checks that the subject returns correct results. */
async function connectChecked(
  { name, connect }: LibraryClient,
  called: Called,
): Promise<ConnectedClient & { readonly name: string }> {
  const client = await connect(called);
  const answer = JSON.stringify(await client.echo('does it come back?'));
  if (!answer.includes('does it come back?'))
    throw new Error(`the response through ${name} is not the echo: ${answer}`);
  return { name, ...client };
}

function printThroughput(measured: readonly Measurement[]): void {
  const ours = measured.find(({ name }) => name === signalbox.name);
  if (ours === undefined) return;
  console.log('');
  for (const other of measured)
    if (other !== ours) console.log(`- calls/s: ${(throughputOf(ours, other) * 100).toFixed(0)} % of ${other.name}`);
}

try {
  for (const era of eras) {
    const libraries = [sdkClient, signalbox, ...peers];
    const separate = hasSetsid ? [sdkClientSeparateSession] : [];
    const program = fixtureProgram(era);
    await compare(`stdio server, ${era}`, { calls: 30, warmUpCalls: 10_000 }, program, [...libraries, ...separate]);
    const address = { type: 'http', url: await startProgram(programAt('bench/support/http-program.ts'), era) } as const;
    await compare(`HTTP server, ${era}`, { calls: 10, warmUpCalls: 1000 }, address, libraries);
  }
} finally {
  stopPrograms();
}
