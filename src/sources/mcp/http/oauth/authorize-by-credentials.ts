import type { FetchLike } from '@modelcontextprotocol/client';
import { findAuthorization } from './find-authorization.ts';
import type { ProtectedServer } from './oauth-options.ts';
import { type SignInRecord, issuedRecord } from './sign-in-record.ts';
import { chooseMethod, requestTokens } from './token-request.ts';

/** The client credentials grant: the client signs in as itself. */
export async function authorizeByCredentials(server: ProtectedServer, fetch: FetchLike): Promise<SignInRecord> {
  const { clientId, clientSecret, scopes } = server.oauth;
  if (clientId === undefined || clientSecret === undefined)
    throw new Error('the grant "client_credentials" needs a client id and a client secret');
  const authorization = await findAuthorization(server, fetch);
  const { metadata, resource, scopes: needed } = authorization;
  const method = chooseMethod(clientSecret, metadata.token_endpoint_auth_methods_supported);
  const client = { tokenEndpoint: metadata.token_endpoint, clientId, clientSecret, clientMethod: method };
  const scope = (scopes ?? needed).join(' ');
  const grant = { grant_type: 'client_credentials', resource, ...(scope === '' ? {} : { scope }) };
  return issuedRecord(authorization, client, await requestTokens(client, grant, fetch));
}
