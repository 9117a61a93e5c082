import type { TokenStore } from './token-store.ts';

/** How one signs in at a server that is protected with OAuth 2.1. */
export interface OAuthOptions {
  /** `authorization_code` (the usual one): a person signs in with `signIn`. `client_credentials`: the client signs in by itself. */
  readonly grant?: 'authorization_code' | 'client_credentials';
  /** The client as it was registered by hand. Without it the client registers itself, where the server lets it. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** An https address with a client ID metadata document, which is the client's id where the server takes such. */
  readonly clientMetadataUrl?: string;
  /** What to ask for; without it, what the server says is needed. */
  readonly scopes?: readonly string[];
  /** The only authorization server to trust. It may be inside when it is named here. */
  readonly issuer?: string;
  /** The port of the loopback address to which the browser comes back; any free one when absent. */
  readonly redirectPort?: number;
  /** Where the sign-in is kept; in memory when absent. */
  readonly tokens?: TokenStore;
  /** Tells sign-ins at the same address apart. */
  readonly account?: string;
  /** What people are told to do when they need to sign in. */
  readonly howToSignIn?: string;
  /** Told of every token before it is used, so that it can be kept out of records. */
  readonly onSecret?: (name: string, value: string) => void;
}

/** A server that is protected with OAuth. */
export interface ProtectedServer {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly oauth: OAuthOptions;
}
