import type { ProgramOptions } from '../../../process/process-group.ts';
import type { OAuthOptions } from '../http/oauth/oauth-options.ts';

/** The URL of a server on the network and how to authenticate there. */
export interface HttpTransportOptions {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** OAuth options; see `signIn`. */
  readonly oauth?: OAuthOptions;
}

/** The transport to a server: a program to run, or a URL. */
export type McpTransport = ({ readonly type: 'stdio' } & ProgramOptions) | HttpTransportOptions;
