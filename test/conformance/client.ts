/**
 * The client that the official suite starts for each scenario, with the address as its last argument and the scenario in its
 * environment. The process that started the suite runs the scenario, because loading Signalbox each time would take most of the time.
 */
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Scenario, ScenarioResult } from './players.ts';

const scenario: Scenario = {
  url: process.argv.at(-1) ?? '',
  name: process.env['MCP_CONFORMANCE_SCENARIO'] ?? '',
  context: JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Scenario['context'],
};
const player = connect(Number(process.env['SIGNALBOX_PLAYERS']), '127.0.0.1');
player.end(JSON.stringify(scenario));
const { output, failed } = (await json(player)) as ScenarioResult;
console.log(output);
if (failed) process.exitCode = 1;
