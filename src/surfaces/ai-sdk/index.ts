export type { SurfaceCallOptions, ToolBox } from '../tool-box.ts';
export { CallFailedError, aiSdkSteps, aiSdkTools } from './ai-sdk-tools.ts';
export type { AiSdkOptions, AiSdkSteps } from './ai-sdk-tools.ts';
