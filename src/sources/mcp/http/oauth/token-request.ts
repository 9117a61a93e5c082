import { omitUndefined } from '../../../../core/omit-undefined.ts';
import { HttpRefusalError } from '../http-errors.ts';
import type { FetchLike } from '@modelcontextprotocol/client';
import { z } from 'zod';

/** The response of the token endpoint. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scope?: string;
  /** Seconds. */
  readonly expiresIn?: number;
}

/** The client of a token endpoint. */
export interface TokenClient {
  readonly tokenEndpoint: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** The authentication method: `client_secret_basic`, `client_secret_post` or `none`. */
  readonly clientMethod: string;
}

/** An error response of the token endpoint. */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError';
  readonly error: string;

  constructor(error: string, description: string | undefined) {
    super(description === undefined ? error : `${error}: ${description}`);
    this.error = error;
  }
}

const seconds = z.coerce.number().positive().optional().catch(undefined);
const tokensSchema = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: seconds,
  refresh_token: z.string().min(1).optional(),
  scope: z.string().optional(),
});
const refusalSchema = z.object({ error: z.string().max(100), error_description: z.string().optional() });

/** Requests tokens. The SDK's own requests neither encode the parts of Basic authentication nor keep response bodies out of errors. */
export async function requestTokens(
  client: TokenClient,
  grant: Readonly<Record<string, string>>,
  fetch: FetchLike,
): Promise<Tokens> {
  const response = await postForm(client.tokenEndpoint, client, grant, fetch);
  const body: unknown = await response.json().catch(() => undefined);
  const refusal = refusalSchema.safeParse(body).data;
  if (refusal !== undefined) throw new TokenRefusedError(refusal.error, toSingleLine(refusal.error_description));
  if (!response.ok)
    throw new HttpRefusalError(`the token endpoint answered with HTTP ${response.status}`, response.status);
  const tokens = tokensSchema.safeParse(body).data;
  if (tokens === undefined) throw new Error('the token endpoint answered without a bearer token');
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn, scope } = tokens;
  return omitUndefined({ accessToken, refreshToken, scope, expiresIn });
}

/** Posts a form with the client's authentication. */
export async function postForm(
  endpoint: string,
  client: Omit<TokenClient, 'tokenEndpoint'>,
  fields: Readonly<Record<string, string>>,
  fetch: FetchLike,
): Promise<Response> {
  const { clientId, clientSecret = '', clientMethod } = client;
  const form = new URLSearchParams(fields);
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };
  if (clientMethod === 'client_secret_basic')
    headers['authorization'] =
      `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`).toString('base64')}`;
  else form.set('client_id', clientId);
  if (clientMethod === 'client_secret_post') form.set('client_secret', clientSecret);
  return await fetch(endpoint, { method: 'POST', headers, body: form.toString() });
}

/** Returns the authentication method for a client with this secret, from those that the server supports. */
export function chooseMethod(secret: string | undefined, supported: readonly string[] | undefined): string {
  if (secret === undefined) return 'none';
  // RFC 8414: a server that lists no methods supports Basic.
  const isPostOnly = supported?.includes('client_secret_basic') === false && supported.includes('client_secret_post');
  return isPostOnly ? 'client_secret_post' : 'client_secret_basic';
}

/** Encodes an id or secret as in a form (RFC 6749, section 2.3.1). */
function encoded(value: string): string {
  return new URLSearchParams({ value }).toString().slice('value='.length);
}

/** Returns untrusted text as one line of limited length, without control characters. */
export function toSingleLine(text: string | undefined): string | undefined {
  // oxlint-disable-next-line no-control-regex
  return text?.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, 300);
}
