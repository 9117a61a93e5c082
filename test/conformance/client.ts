/**
 * The client that the official suite tries: Signalbox with the server of the scenario in a box. The suite gives the address as the
 * last argument, and says in the environment which scenario it is. It starts all scenarios at once, and on a small machine each
 * would be too slow for the others: every client waits for its turn.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

const turn = connect(Number(process.env['SIGNALBOX_TURNS']), '127.0.0.1');
await once(turn, 'data');
const { playScenario } = await import('./client-scenario.ts');
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<string, unknown>;
await playScenario(process.argv.at(-1) ?? '', process.env['MCP_CONFORMANCE_SCENARIO'] ?? '', context);
turn.destroy();
