export { mcpEndpoint } from './embedded-endpoint.ts';
export type { EmbeddedMcpEndpoint, McpCaller, McpEndpointOptions, McpPipe } from './embedded-endpoint.ts';
export type { McpBox } from './mcp-box.ts';
export type { ServerInstructions } from '../../pipeline/box-content.ts';
