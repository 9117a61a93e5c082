import type { JWTPayload } from 'jose';
import { type IssuerSettings, signatures } from '../../../config/schema/oauth-schema.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import { type IssuerKeys, KeyMissing } from './issuer-keys.ts';

/** What a token says that is worth something: its issuer signed it. */
export interface VerifiedToken {
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly scopes: readonly string[];
  /** The key that it was signed with. */
  readonly key: string;
  /** In milliseconds, with the leeway that clocks get. */
  readonly from: number;
  readonly until: number;
}

/** How a token fares: verified; its time is over; refused, and why; or nobody can tell while its issuer is away. */
export type Verification =
  | { readonly state: 'verified'; readonly token: VerifiedToken }
  | { readonly state: 'expired' }
  | { readonly state: 'refused'; readonly why: string }
  | { readonly state: 'unknown' };

/** What is read before anything is known to be true. */
export interface ReadToken {
  readonly text: string;
  readonly header: { readonly alg: string; readonly kid: string; readonly typ?: string };
  readonly issuer: string;
}

const leewayMs = 30_000;
const longestSubject = 255;
const kinds: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/at+jwt']);
const compact = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/;

/** Whether a bearer token has the form of those that authorization servers sign; what only has the dots may be meant as one of ours. */
export function isSignedToken(text: string): boolean {
  const [, head = ''] = compact.exec(text) ?? [];
  return typeof jsonIn(head)?.['alg'] === 'string';
}

/** Reads a token, or says why it cannot be one that is taken. */
export function readToken(text: string): ReadToken | string {
  const [, head = '', body = '', signature = ''] = compact.exec(text) ?? [];
  // Without this, one signature would have several spellings.
  if (![head, body, signature].every((part) => Buffer.from(part, 'base64url').toString('base64url') === part))
    return 'the token is not a signed token in its compact form';
  const header = jsonIn(head);
  const claims = jsonIn(body);
  const { alg, kid, typ = 'JWT' } = header ?? {};
  const issuer = claims?.['iss'];
  if (typeof issuer !== 'string') return 'the token does not say who issued it';
  if (typeof alg !== 'string' || typeof kid !== 'string') return 'the token does not say how it was signed (alg, kid)';
  if (typeof typ !== 'string' || !kinds.has(typ.toLowerCase())) return 'the token is not an access token (typ)';
  return { text, header: { alg, kid, typ }, issuer };
}

/** Checks the signature of a token and when it holds. For whom it is depends on where it comes: see `audiences`. */
export async function verifyToken(
  { text, header }: ReadToken,
  { issuer, algorithms = [...signatures], claim }: IssuerSettings,
  keys: IssuerKeys,
): Promise<Verification> {
  const { errors, jwtVerify } = await import('jose');
  if (!algorithms.some((each) => each === header.alg)) return refused('the token is signed in a way that is not taken');
  try {
    const options = { issuer, algorithms: [header.alg], clockTolerance: leewayMs / 1000 };
    const { payload } = await jwtVerify(text, () => keys.find(header), options);
    return readClaims(payload, header.kid, claim === undefined ? ['scope', 'scp'] : [claim]);
  } catch (error) {
    if (error instanceof KeyMissing)
      return error.isAway
        ? { state: 'unknown' }
        : refused('the token is signed with a key that its issuer does not have');
    if (error instanceof errors.JWTExpired) return { state: 'expired' };
    if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf')
      return refused('the token is not good yet');
    // What jose says may quote the token.
    if (error instanceof errors.JOSEError) return refused('the signature of the token is not that of its issuer');
    throw error;
  }
}

function readClaims(payload: JWTPayload, key: string, scopeClaims: readonly string[]): Verification {
  const { sub, exp, nbf, iat = 0 } = payload;
  if (typeof sub !== 'string' || sub === '' || sub.length > longestSubject || !sub.isWellFormed())
    return refused('the token does not say whom it is about (sub)');
  if (exp === undefined) return refused('the token never expires (exp)');
  if (!(iat * 1000 <= Date.now() + leewayMs)) return refused('the token is not good yet');
  // Such a token is only good together with a key that is not asked for here.
  if (payload['cnf'] !== undefined) return refused('the token is bound to a key of its holder (cnf)');
  const token = {
    subject: sub,
    audiences: textsIn(payload.aud),
    scopes: scopeClaims.flatMap((name) => textsIn(payload[name])).flatMap((text) => text.split(' ')),
    key,
    from: (nbf ?? 0) * 1000 - leewayMs,
    until: exp * 1000 + leewayMs,
  };
  return { state: 'verified', token };
}

/** One text, or a list of them. Its issuer signed that a claim is there, not that it makes sense. */
function textsIn(value: unknown): string[] {
  return [value].flat().filter((each) => typeof each === 'string');
}

function refused(why: string): Verification {
  return { state: 'refused', why };
}

function jsonIn(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
