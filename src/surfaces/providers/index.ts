export type { SurfaceCallOptions, ToolBox } from '../tool-box.ts';
export { anthropicTools } from './anthropic.ts';
export type {
  AnthropicBlock,
  AnthropicImageType,
  AnthropicOptions,
  AnthropicResultBlock,
  AnthropicTool,
  AnthropicToolResult,
  AnthropicTools,
} from './anthropic.ts';
export { geminiTools } from './gemini.ts';
export type {
  GeminiFunctionDeclaration,
  GeminiFunctionResponse,
  GeminiInlineData,
  GeminiOptions,
  GeminiPart,
  GeminiResultPart,
  GeminiTool,
  GeminiTools,
} from './gemini.ts';
export type { ToolWarning } from './provider-tools.ts';
export { openaiTools } from './openai.ts';
export type {
  OpenaiChatTool,
  OpenaiChatTools,
  OpenaiFunctionCallOutput,
  OpenaiFunctionTool,
  OpenaiItem,
  OpenaiOptions,
  OpenaiOutputPart,
  OpenaiResponsesTools,
  OpenaiToolCall,
  OpenaiToolMessage,
} from './openai.ts';
