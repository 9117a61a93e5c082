import { Problem } from '../../problems/problem.ts';

/** Returns the value of a `WWW-Authenticate` header. */
export function tokenChallenge(parameters: Readonly<Record<string, string>> = {}): string {
  return Object.entries({ realm: 'signalbox', ...parameters })
    .map(([name, value], index) => `${index === 0 ? 'Bearer ' : ''}${name}="${value}"`)
    .join(', ');
}

/** Returns the problem for a token that is not valid, with its challenge. */
export function refusedToken(code: 'token-wrong' | 'token-expired', detail: string): Problem {
  return new Problem(code, detail, { headers: { 'WWW-Authenticate': tokenChallenge({ error: 'invalid_token' }) } });
}
