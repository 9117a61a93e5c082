export type { SurfaceCallOptions, ToolBox } from '../tool-box.ts';
export { CallFailed, aiSdkSteps, aiSdkTools } from './ai-sdk-tools.ts';
export type { AiSdkOptions, AiSdkSteps } from './ai-sdk-tools.ts';
