import type { TokenStore } from './tokens/token-store.ts';

/** How one signs in at a server that is protected with OAuth 2.1. */
export interface OAuthOptions {
  /**
   * `authorization_code` (the default): a person signs in with `signIn`. `client_credentials`: the client signs in as itself.
   * `jwt_bearer`: the client signs in with a token of the platform that it runs on (workload identity, RFC 7523).
   */
  readonly grant?: 'authorization_code' | 'client_credentials' | 'jwt_bearer';
  /** The client as it was registered by hand. Without it the client registers itself, where the server lets it. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** For `client_credentials`, in the place of a secret: a private key in PEM, which signs the client's assertions (`private_key_jwt`). */
  readonly privateKey?: string;
  /** For `jwt_bearer`: returns the token of the platform. Called for each token request, since such tokens are short-lived. */
  readonly assertion?: () => string | Promise<string>;
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

/** Returns whether tokens are obtained without a person, by the client's own credentials. */
export function isUnattended({ grant = 'authorization_code' }: OAuthOptions): boolean {
  return grant !== 'authorization_code';
}
