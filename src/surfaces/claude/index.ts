export type { SurfaceCallOptions, ToolBox } from '../tool-box.ts';
export { claudeAgentOptions } from './agent-options.ts';
export type { ClaudeAgentOptions, ClaudeAgentSettings, ClaudeBox } from './agent-options.ts';
export { claudePassthrough } from './passthrough.ts';
export type { CallRecorder, PassthroughOptions, PassthroughServer } from './passthrough.ts';
export type { ContentBox } from '../../pipeline/box-content.ts';
