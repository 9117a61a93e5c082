/** Stores sign-ins. The texts are secret: a store on disk must encrypt them. */
export interface TokenStore {
  load(key: string): Promise<string | undefined>;
  /** Stores a text, or deletes it when `undefined`. */
  save(key: string, text: string | undefined): Promise<void>;
  /** Runs work under a lock for the key, for a store that several processes share. */
  exclusively?<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** Options for a server that is protected with OAuth 2.1. */
export interface OAuthOptions {
  /**
   * `authorization_code` (the default): a person signs in with `signIn`. `client_credentials`: the client signs in as itself.
   * `jwt_bearer`: the client signs in with a token of the platform that it runs on (workload identity, RFC 7523).
   */
  readonly grant?: 'authorization_code' | 'client_credentials' | 'jwt_bearer';
  /** The id of a client that was registered by hand. Without it the client registers dynamically, where the server supports that. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** For `client_credentials`, instead of a secret: a private key in PEM, which signs the client's assertions (`private_key_jwt`). */
  readonly privateKey?: string;
  /** For `jwt_bearer`: returns the token of the platform. Called for each token request, since such tokens are short-lived. */
  readonly assertion?: () => string | Promise<string>;
  /** The https URL of a client ID metadata document, used as client id where the server supports it. */
  readonly clientMetadataUrl?: string;
  /** Scopes to request; by default those that the server asks for. */
  readonly scopes?: readonly string[];
  /** The only authorization server to trust. It may have a private address when it is named here. */
  readonly issuer?: string;
  /** The loopback port of the redirect URI; any free one when absent. */
  readonly redirectPort?: number;
  /** Stores the tokens; in memory when absent. */
  readonly tokens?: TokenStore;
  /** Distinguishes several sign-ins at the same URL. */
  readonly account?: string;
  /** Instruction for users who need to sign in, as part of error messages. */
  readonly howToSignIn?: string;
  /** Called with every token before it is used, so that it can be redacted from records. */
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
