import type { ProgramOptions } from '../../../process/process-group.ts';
import type { HttpTransportOptions } from '../http/http-transport.ts';

/** The transport to a server: a program to run, or a URL. */
export type McpTransport = ({ readonly type: 'stdio' } & ProgramOptions) | HttpTransportOptions;
