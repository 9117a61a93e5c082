import { type FetchLike, registerClient } from '@modelcontextprotocol/client';
import { messageOf } from '../../../../../core/errors.ts';
import type { Authorization } from '../find-authorization.ts';
import type { OAuthOptions } from '../oauth-options.ts';
import { type TokenClient, chooseMethod, toSingleLine } from '../tokens/token-request.ts';

/** Returns the client identity at an authorization server: the configured one, a metadata document, or a new registration. */
export async function identifyClient(
  options: OAuthOptions,
  { metadata }: Authorization,
  redirectUri: string,
  fetch: FetchLike,
): Promise<TokenClient> {
  const { clientId, clientSecret, clientMetadataUrl } = options;
  const tokenEndpoint = metadata.token_endpoint;
  const supported = metadata.token_endpoint_auth_methods_supported;
  if (clientId !== undefined)
    return {
      tokenEndpoint,
      clientId,
      ...(clientSecret === undefined ? {} : { clientSecret }),
      clientMethod: chooseMethod(clientSecret, supported),
    };
  if (clientMetadataUrl !== undefined && metadata['client_id_metadata_document_supported'] === true)
    return { tokenEndpoint, clientId: clientMetadataUrl, clientMethod: 'none' };
  if (metadata.registration_endpoint === undefined)
    throw new Error(
      `${metadata.issuer} lets no client register itself: register one there with the redirect address ` +
        `${redirectUri}, and give its "clientId" (with a "redirectPort", where the port must not change)`,
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
    return {
      tokenEndpoint,
      clientId: given.client_id,
      ...(secret === undefined ? {} : { clientSecret: secret }),
      clientMethod: given.token_endpoint_auth_method ?? chooseMethod(secret, supported),
    };
  } catch (error) {
    const where = `${metadata.issuer} did not register this client at ${metadata.registration_endpoint}`;
    throw new Error(`${where}: ${toSingleLine(messageOf(error))}`, { cause: error });
  }
}
