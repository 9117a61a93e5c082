import type { JWTPayload } from 'jose';
import { type IssuerSettings, signatures } from '../../../config/schema/oauth-schema.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import { Problem } from '../../problems/problem.ts';
import { refusedToken } from '../tokens/token-challenge.ts';
import { type IssuerKeys, KeyMissingError } from './issuer-keys.ts';

/** The claims of a token whose signature was verified. */
export interface VerifiedJwt {
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly scopes: readonly string[];
  /** The id of the signing key. */
  readonly key: string;
  /** In milliseconds, including the clock tolerance. */
  readonly from: number;
  readonly until: number;
}

/** The parts of a token that are read before its signature is verified. */
interface ParsedJwt {
  readonly text: string;
  readonly header: { readonly alg: string; readonly kid: string; readonly typ?: string };
  readonly issuer: string;
}

const clockToleranceMs = 30_000;
const maxSubjectLength = 255;
const mediaTypes: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/at+jwt']);
const compact = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/;

/** Returns whether a bearer token is a JWT. Tokens of Signalbox may contain dots, but have no JOSE header. */
export function isJwt(text: string): boolean {
  const [, head = ''] = compact.exec(text) ?? [];
  return typeof jsonIn(head)?.['alg'] === 'string';
}

/** Parses a token. Throws `token-wrong` when it cannot be an accepted token. */
export function parseJwt(text: string): ParsedJwt {
  const [, head = '', body = '', signature = ''] = compact.exec(text) ?? [];
  // Refuses non-canonical base64url, with which one signature has several encodings.
  if (![head, body, signature].every((part) => Buffer.from(part, 'base64url').toString('base64url') === part))
    throw refused('the token is not a signed token in its compact form');
  const header = jsonIn(head);
  const claims = jsonIn(body);
  const { alg, kid, typ = 'JWT' } = header ?? {};
  const issuer = claims?.['iss'];
  if (typeof issuer !== 'string') throw refused('the token has no issuer (iss)');
  if (typeof alg !== 'string' || typeof kid !== 'string')
    throw refused('the token has no algorithm or key id (alg, kid)');
  if (typeof typ !== 'string' || !mediaTypes.has(typ.toLowerCase()))
    throw refused('the token is not an access token (typ)');
  return { text, header: { alg, kid, typ }, issuer };
}

/** Verifies the signature and the times of a token. The caller checks the audience. Rejects with a problem, which never quotes the token. */
export async function verifyJwt(
  { text, header }: ParsedJwt,
  { issuer, algorithms = [...signatures], claim }: IssuerSettings,
  keys: IssuerKeys,
): Promise<VerifiedJwt> {
  const { errors, jwtVerify } = await import('jose');
  if (!algorithms.some((each) => each === header.alg))
    throw refused('the signature algorithm of the token is not accepted (alg)');
  try {
    const options = { issuer, algorithms: [header.alg], clockTolerance: clockToleranceMs / 1000 };
    const { payload } = await jwtVerify(text, () => keys.find(header), options);
    return readClaims(payload, header.kid, claim === undefined ? ['scope', 'scp'] : [claim]);
  } catch (error) {
    if (error instanceof KeyMissingError)
      throw error.isUnreachable
        ? new Problem('issuer-unreachable', `the keys of ${issuer} cannot be read at the moment; try again`, {
            headers: { 'Retry-After': '5' },
          })
        : refused('the token is signed with a key that its issuer does not have');
    if (error instanceof errors.JWTExpired) throw expiredToken();
    if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf')
      throw refused('the token is not valid yet');
    // The messages of jose may quote the token.
    if (error instanceof errors.JOSEError) throw refused('the signature of the token is not valid');
    throw error;
  }
}

function readClaims(payload: JWTPayload, key: string, scopeClaims: readonly string[]): VerifiedJwt {
  const { sub, exp, nbf, iat = 0 } = payload;
  if (typeof sub !== 'string' || sub === '' || sub.length > maxSubjectLength || !sub.isWellFormed())
    throw refused('the token has no valid subject (sub)');
  if (exp === undefined) throw refused('the token never expires (exp)');
  if (!(iat * 1000 <= Date.now() + clockToleranceMs)) throw refused('the token is not valid yet');
  // A sender-constrained token would need a proof of possession, which is not supported.
  if (payload['cnf'] !== undefined)
    throw refused('the token is bound to a key of its holder (cnf), which is not supported');
  return {
    subject: sub,
    audiences: textsIn(payload.aud),
    scopes: scopeClaims.flatMap((name) => textsIn(payload[name])).flatMap((text) => text.split(' ')),
    key,
    from: (nbf ?? 0) * 1000 - clockToleranceMs,
    until: exp * 1000 + clockToleranceMs,
  };
}

/** Returns the strings in a claim that is a string or a list. */
function textsIn(value: unknown): string[] {
  return [value].flat().filter((each) => typeof each === 'string');
}

/** Returns the problem for an expired token. */
export function expiredToken(): Problem {
  return refusedToken('token-expired', 'the token has expired; get a new one from its authorization server');
}

function refused(reason: string): Problem {
  return refusedToken('token-wrong', reason);
}

function jsonIn(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
