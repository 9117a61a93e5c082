import type { HttpTransportOptions } from './http/http-transport.ts';
import type { ProgramOptions } from '../../process/process-group.ts';

/** How a server is reached: a program to run, or an address. */
export type McpTransport = ({ readonly type: 'stdio' } & ProgramOptions) | HttpTransportOptions;
