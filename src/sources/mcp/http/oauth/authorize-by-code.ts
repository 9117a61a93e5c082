import { randomBytes } from 'node:crypto';
import { type FetchLike, registerClient, startAuthorization } from '@modelcontextprotocol/client';
import { raceAbort } from '../../../../core/async/light-abort-signal.ts';
import { messageOf } from '../../../../core/errors.ts';
import { omitUndefined } from '../../../../core/omit-undefined.ts';
import { assertConfidential, withAuthorizationFetch } from './authorization-fetch.ts';
import { type Callback, listenForCallback } from './callback-listener.ts';
import { type Authorization, findAuthorization } from './find-authorization.ts';
import type { OAuthOptions, ProtectedServer } from './oauth-options.ts';
import { OAuthSession } from './oauth-session.ts';
import { type SignInRecord, issuedRecord } from './sign-in-record.ts';
import { type TokenClient, chooseMethod, requestTokens, toSingleLine } from './token-request.ts';

/** The result of a sign-in. */
export interface SignInResult {
  readonly issuer: string;
  readonly resource: string;
  readonly scope?: string;
}

/** Options of `signIn`. */
export interface SignInOptions {
  /** Opens this URL in the browser, or shows it. */
  onAuthorize(url: URL): void | Promise<void>;
  readonly signal?: AbortSignal;
  /** Time limit for the person (default 5 minutes). */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 5 * 60_000;

/** Signs a person in by the authorization code grant with PKCE: through the browser, back to a loopback address. */
export async function authorizeByCode(server: ProtectedServer, options: SignInOptions): Promise<SignInResult> {
  const session = new OAuthSession(server);
  const record = await withAuthorizationFetch(server, async (fetch) => {
    const authorization = await findAuthorization(server, fetch);
    assertCodeWithProof(authorization);
    const state = randomBytes(32).toString('base64url');
    const listener = await listenForCallback(state, server.oauth.redirectPort);
    try {
      const { redirectUri } = listener;
      const client = await identifyClient(server.oauth, authorization, redirectUri, fetch);
      const last = await session.record().catch(() => undefined);
      const scope = scopeFor(server.oauth, authorization, last);
      const request = {
        metadata: authorization.metadata,
        clientInformation: { client_id: client.clientId },
        redirectUrl: redirectUri,
        state,
        resource: authorization.resource,
        scope,
      };
      const { authorizationUrl, codeVerifier } = await startAuthorization(
        authorization.metadata.issuer,
        omitUndefined(request),
      );
      assertConfidential(authorizationUrl);
      await options.onAuthorize(authorizationUrl);
      const callback = await unlessOver(listener.callback, options);
      return await showingResult(callback, server, async () => {
        const pending = { client, authorization, codeVerifier, redirectUri, scope };
        const issued = await redeem(callback.parameters, pending, fetch);
        await session.save(issued);
        return issued;
      });
    } finally {
      listener.close();
    }
  });
  const { issuer, resource, scope } = record;
  return omitUndefined({ issuer, resource, scope });
}

/** Throws when the server does not announce PKCE, since it might ignore the challenge. */
function assertCodeWithProof({ metadata }: Authorization): void {
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true)
    throw new Error(`${metadata.issuer} does not announce PKCE with S256, without which a sign-in is not safe`);
}

/** Returns the scopes to request: those configured or asked for by the server, and those that were missing last time. */
function scopeFor(
  { scopes: configured }: OAuthOptions,
  { scopes: needed, metadata }: Authorization,
  last: SignInRecord | undefined,
): string | undefined {
  // Some servers issue no refresh token without it.
  const offline = metadata.scopes_supported?.includes('offline_access') === true ? ['offline_access'] : [];
  const scopes = new Set([...(configured ?? [...needed, ...offline]), ...(last?.wantedScope?.split(' ') ?? [])]);
  return scopes.size === 0 ? undefined : [...scopes].join(' ');
}

/** A pending sign-in, as the token request needs it. */
interface PendingSignIn {
  readonly client: TokenClient;
  readonly authorization: Authorization;
  readonly codeVerifier: string;
  readonly redirectUri: string;
  readonly scope: string | undefined;
}

/** Exchanges the code of the response for tokens. */
async function redeem(
  parameters: URLSearchParams,
  { client, authorization, codeVerifier, redirectUri, scope }: PendingSignIn,
  fetch: FetchLike,
): Promise<SignInRecord> {
  const { resource, metadata } = authorization;
  assertIssuer(parameters, authorization);
  const error = parameters.get('error');
  if (error !== null) {
    const why = toSingleLine(parameters.get('error_description') ?? undefined);
    throw new Error(`${metadata.issuer} refused: ${toSingleLine(error)}${why === undefined ? '' : `, ${why}`}`);
  }
  const code = parameters.get('code');
  if (code === null) throw new Error(`${metadata.issuer} redirected the browser without a code`);
  const grant = { grant_type: 'authorization_code', code, code_verifier: codeVerifier, redirect_uri: redirectUri };
  const tokens = await requestTokens(client, { ...grant, resource }, fetch);
  return issuedRecord(authorization, client, { ...omitUndefined({ scope }), ...tokens });
}

/** Checks the issuer of the response (RFC 9207), before anything else in it is trusted. */
function assertIssuer(parameters: URLSearchParams, { metadata }: Authorization): void {
  const given = parameters.get('iss');
  if (given === null && metadata['authorization_response_iss_parameter_supported'] !== true) return;
  if (given !== metadata.issuer)
    throw new Error(`the response is from ${toSingleLine(given ?? 'an unknown issuer')}, not from ${metadata.issuer}`);
}

/** Runs work and shows its result in the browser. */
async function showingResult<Result>(
  callback: Callback,
  { url }: ProtectedServer,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work();
    callback.answer(true, `Signalbox may now use ${new URL(url).host}. You can close this window.`);
    return result;
  } catch (error) {
    callback.answer(false, `${messageOf(error)}. You can close this window and sign in again.`);
    throw error;
  }
}

/** Resolves with the promise. Rejects when the sign-in is cancelled or its time is over. */
async function unlessOver<Result>(promise: Promise<Result>, options: SignInOptions): Promise<Result> {
  const { signal, timeoutMs = defaultTimeoutMs } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await raceAbort(() => promise, AbortSignal.any([timeout, ...(signal === undefined ? [] : [signal])]));
  } catch (error) {
    if (signal?.aborted === true) throw new Error('the sign-in was cancelled', { cause: error });
    throw timeout.aborted ? new Error(`nobody signed in within ${Math.round(timeoutMs / 1000)} s`) : error;
  }
}

/** Returns the client identity at an authorization server: the configured one, a metadata document, or a new registration. */
async function identifyClient(
  options: OAuthOptions,
  { metadata }: Authorization,
  redirectUri: string,
  fetch: FetchLike,
): Promise<TokenClient> {
  const { clientId, clientSecret, clientMetadataUrl } = options;
  const tokenEndpoint = metadata.token_endpoint;
  const supported = metadata.token_endpoint_auth_methods_supported;
  if (clientId !== undefined)
    return omitUndefined({
      tokenEndpoint,
      clientId,
      clientSecret,
      clientMethod: chooseMethod(clientSecret, supported),
    });
  if (clientMetadataUrl !== undefined && metadata['client_id_metadata_document_supported'] === true)
    return { tokenEndpoint, clientId: clientMetadataUrl, clientMethod: 'none' };
  if (metadata.registration_endpoint === undefined)
    throw new Error(
      `${metadata.issuer} does not support dynamic client registration: register a client there with the redirect URI ` +
        `${redirectUri}, and set its "clientId" (with a "redirectPort", where the port must not change)`,
    );
  try {
    const given = await registerClient(metadata.issuer, {
      metadata,
      clientMetadata: {
        client_name: 'Signalbox',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      fetchFn: fetch,
    });
    const secret = given.client_secret;
    return omitUndefined({
      tokenEndpoint,
      clientId: given.client_id,
      clientSecret: secret,
      clientMethod: given.token_endpoint_auth_method ?? chooseMethod(secret, supported),
    });
  } catch (error) {
    const where = `${metadata.issuer} did not register this client at ${metadata.registration_endpoint}`;
    throw new Error(`${where}: ${toSingleLine(messageOf(error))}`, { cause: error });
  }
}
