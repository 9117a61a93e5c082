import type { TestContext } from 'node:test';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

/** The OAuth state of a client, held in memory. Records the address to which the client redirected the browser. */
export class SignInClient implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:1/callback';
  readonly clientMetadata = { client_name: 'test', redirect_uris: [this.redirectUrl] };
  /** The address that the browser was redirected to. */
  redirectedTo: URL | undefined;
  #client: ReturnType<OAuthClientProvider['clientInformation']>;
  #tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>;
  #verifier = '';

  clientInformation(): ReturnType<OAuthClientProvider['clientInformation']> {
    return this.#client;
  }

  saveClientInformation(client: Parameters<NonNullable<OAuthClientProvider['saveClientInformation']>>[0]): void {
    this.#client = client;
  }

  tokens(): Awaited<ReturnType<OAuthClientProvider['tokens']>> {
    return this.#tokens;
  }

  saveTokens(tokens: Parameters<OAuthClientProvider['saveTokens']>[0]): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.redirectedTo = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}

/** Connects as a client that knows only the address: it is refused, redirects the browser, exchanges the code and connects. */
export async function signInAndConnect(
  t: TestContext,
  url: URL,
  era: 'legacy' | 'modern',
  authProvider: SignInClient,
): Promise<Client> {
  const connect = async (): Promise<[Client, StreamableHTTPClientTransport, unknown]> => {
    const client = new Client(
      { name: 'signing-in', version: '1' },
      era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {},
    );
    const transport = new StreamableHTTPClientTransport(url, { authProvider });
    t.after(() => client.close());
    return [client, transport, await client.connect(transport).catch((error: unknown) => error)];
  };
  const [, refused, error] = await connect();
  if (!(error instanceof UnauthorizedError)) throw new Error(`the server did not request a sign-in: ${String(error)}`);
  if (authProvider.redirectedTo === undefined) throw new Error('the browser was not redirected');
  const response = await fetch(authProvider.redirectedTo, { redirect: 'manual' });
  await refused.finishAuth(new URL(response.headers.get('location') ?? '').searchParams);
  const [client, , failure] = await connect();
  if (failure !== undefined) throw failure;
  return client;
}
