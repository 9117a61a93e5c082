export type { SurfaceCallOptions, ToolBox } from '../tool-box.ts';
export { aiSdkSteps } from './ai-sdk-steps.ts';
export type { AiSdkSteps } from './ai-sdk-steps.ts';
export { aiSdkTools } from './ai-sdk-tools.ts';
export type { AiSdkOptions } from './ai-sdk-tools.ts';
export { CallFailed } from './call-failed.ts';
