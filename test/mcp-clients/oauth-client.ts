import type { TestContext } from 'node:test';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

/** What a client keeps of its sign-in, and the person whose browser it sends somewhere. */
export class SignInClient implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:1/callback';
  readonly clientMetadata = { client_name: 'test', redirect_uris: [this.redirectUrl] };
  /** Where the browser was sent. */
  sentTo: URL | undefined;
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
    this.sentTo = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}

/** Connects as a client does that knows nothing but the address: refused, sent to a browser, back with a code, in. */
export async function signInAndConnect(
  t: TestContext,
  url: URL,
  era: 'legacy' | 'modern',
  person: SignInClient,
): Promise<Client> {
  const connect = async (): Promise<[Client, StreamableHTTPClientTransport, unknown]> => {
    const client = new Client(
      { name: 'signing-in', version: '1' },
      era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {},
    );
    const transport = new StreamableHTTPClientTransport(url, { authProvider: person });
    t.after(() => client.close());
    return [client, transport, await client.connect(transport).catch((error: unknown) => error)];
  };
  const [, refused, error] = await connect();
  if (!(error instanceof UnauthorizedError)) throw new Error(`it was not sent to sign in: ${String(error)}`);
  if (person.sentTo === undefined) throw new Error('no browser was sent anywhere');
  const back = await fetch(person.sentTo, { redirect: 'manual' });
  await refused.finishAuth(new URL(back.headers.get('location') ?? '').searchParams);
  const [client, , failure] = await connect();
  if (failure !== undefined) throw failure;
  return client;
}
