export { mcpEndpoint } from './embedded-endpoint.ts';
export type { EmbeddedMcpEndpoint, McpBox, McpCaller, McpEndpointOptions, McpPipe } from './embedded-endpoint.ts';
export type { EndpointBox } from './endpoint-box.ts';
export type { ServerInstructions } from '../../pipeline/box-content.ts';
