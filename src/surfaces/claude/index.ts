export { claudePassthrough } from './passthrough.ts';
export type { CallRecorder, PassthroughOptions, PassthroughServer } from './passthrough.ts';
