export { readCassette } from './cassette.ts';
export type { Cassette, RecordedCall, RecordedServer, RecordedTool } from './cassette.ts';
export { record } from './record.ts';
export type { RecordOptions } from './record.ts';
export { replay } from './replay.ts';
export type { ReplayOptions, ReplayServer } from './replay.ts';
