import { type KeyObject, createPrivateKey, randomUUID } from 'node:crypto';
import type { AuthorizationServerMetadata, FetchLike } from '@modelcontextprotocol/client';
import { SignJWT } from 'jose';
import { omitUndefined } from '../../../../core/omit-undefined.ts';
import { findAuthorization } from './find-authorization.ts';
import type { OAuthOptions, ProtectedServer } from './oauth-options.ts';
import { type SignInRecord, issuedRecord } from './sign-in-record.ts';
import { chooseMethod, requestTokens } from './token-request.ts';

type Fields = Readonly<Record<string, string>>;

const assertionLife = '5m';

/** Signs in without a person: the client credentials grant, or the JWT bearer grant. */
export async function authorizeByCredentials(server: ProtectedServer, fetch: FetchLike): Promise<SignInRecord> {
  const { clientId, clientSecret, privateKey, scopes } = server.oauth;
  if (clientId === undefined) throw new Error(`the grant "${server.oauth.grant}" needs a client id`);
  const authorization = await findAuthorization(server, fetch);
  const { metadata, resource, scopes: needed } = authorization;
  const supported = metadata.token_endpoint_auth_methods_supported;
  const client = omitUndefined({
    tokenEndpoint: metadata.token_endpoint,
    clientId,
    clientSecret,
    clientMethod: privateKey === undefined ? chooseMethod(clientSecret, supported) : 'private_key_jwt',
  });
  const scope = (scopes ?? needed).join(' ');
  const grant = await grantOf(server.oauth, clientId, metadata);
  const fields = { ...grant, resource, ...(scope === '' ? {} : { scope }) };
  return issuedRecord(authorization, client, await requestTokens(client, fields, fetch));
}

async function grantOf(
  options: OAuthOptions,
  clientId: string,
  metadata: AuthorizationServerMetadata,
): Promise<Fields> {
  const { grant, clientSecret, privateKey, assertion } = options;
  if (grant === 'jwt_bearer') {
    if (assertion === undefined) throw new Error('the grant "jwt_bearer" needs an assertion');
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: await assertion() };
  }
  if (privateKey === undefined && clientSecret === undefined)
    throw new Error('the grant "client_credentials" needs a client secret or a private key');
  return {
    grant_type: 'client_credentials',
    ...(privateKey === undefined ? {} : await clientAssertion(clientId, privateKey, metadata)),
  };
}

/** Returns a signed client assertion (RFC 7523, section 2.2) for one request. */
async function clientAssertion(
  clientId: string,
  privateKey: string,
  metadata: AuthorizationServerMetadata,
): Promise<Fields> {
  const key = readPrivateKey(privateKey);
  const signed = await new SignJWT()
    .setProtectedHeader({ alg: algorithmFor(key, metadata.token_endpoint_auth_signing_alg_values_supported) })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(metadata.issuer)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(assertionLife)
    .sign(key);
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: signed,
  };
}

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new Error('the private key of the client is not a private key in PEM', { cause: error });
  }
}

const curveAlgorithms: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/** Returns the algorithm that fits the key; for RSA, the first that the authorization server lists. */
function algorithmFor(
  { asymmetricKeyType, asymmetricKeyDetails }: KeyObject,
  supported: readonly string[] = [],
): string {
  const byCurve = curveAlgorithms[asymmetricKeyDetails?.namedCurve ?? ''];
  if (asymmetricKeyType === 'ec' && byCurve !== undefined) return byCurve;
  if (asymmetricKeyType === 'rsa') return supported.find((each) => /^[RP]S\d{3}$/.test(each)) ?? 'RS256';
  if (asymmetricKeyType === 'ed25519') return 'EdDSA';
  throw new Error(
    `the private key of the client is of type ${asymmetricKeyType}; use an RSA, EC (P-256) or Ed25519 key`,
  );
}
