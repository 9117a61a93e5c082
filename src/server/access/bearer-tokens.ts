import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Signalbox } from '../../signalbox.ts';
import { Problem } from '../problems/problem.ts';
import { challenge } from './challenge.ts';
import { FailedAttempts } from './failed-attempts.ts';
import { type Identity, adminIdentity, tokenIdentity } from './identity.ts';
import { OpenRequests } from './open-requests.ts';

/** Which tokens are good. */
export interface TokenChecks {
  readonly isAdminToken: (presented: string) => boolean;
  readonly tokens: Signalbox['tokens'];
}

/** Recognises tokens of others, where they are taken; answers `undefined` for what is not of their form. */
export type OtherTokens = (presented: string) => Promise<Identity> | undefined;

/** Recognises the holders of tokens, and ends what they have open when their token ends. */
export class BearerTokens {
  readonly #checks: TokenChecks;
  readonly #attempts = new FailedAttempts();
  readonly #open: OpenRequests;

  constructor(checks: TokenChecks) {
    this.#checks = checks;
    this.#open = new OpenRequests((identity) => this.isStillGood(identity));
  }

  /** Whose token the request carries; throws the problem with it. Call it only for requests with the header. */
  async identify(
    { headers, socket }: IncomingMessage,
    response: ServerResponse,
    others: OtherTokens = () => undefined,
  ): Promise<Identity> {
    const presented = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    // Wrong ones of others are not counted: nobody guesses a signature, and behind a proxy all clients are one peer.
    const other = this.#checks.isAdminToken(presented) ? undefined : others(presented);
    const identity = await (other ?? this.#identify(presented, socket.remoteAddress ?? ''));
    if (identity.token !== undefined) this.#open.add(identity.token, identity, response);
    return identity;
  }

  /** Whether somebody who was recognised still would be. */
  async isStillGood({ token, isStillGood }: Identity): Promise<boolean> {
    if (isStillGood !== undefined) return isStillGood();
    return token === undefined || (await this.#checks.tokens.isActive(token));
  }

  async #identify(presented: string, peer: string): Promise<Identity> {
    const waitSeconds = this.#attempts.waitSeconds(peer, presented);
    if (waitSeconds > 0) {
      const headers = { 'Retry-After': String(waitSeconds) };
      throw new Problem('attempts-exceeded', `too many wrong tokens came from ${peer}; wait ${waitSeconds} s`, {
        headers,
      });
    }
    if (this.#checks.isAdminToken(presented)) {
      this.#attempts.succeeded(presented);
      return adminIdentity;
    }
    const check = await this.#checks.tokens.check(presented);
    switch (check.state) {
      case 'wrong':
        this.#attempts.failed(peer);
        throw refused('token-wrong', 'the Authorization header does not carry a token of this server');
      case 'expired':
        throw refused('token-expired', 'the token was good until a while ago; signalbox token create makes a new one');
      case 'revoked':
        throw refused('token-wrong', 'the token was revoked; signalbox token create makes a new one');
      case 'active':
        this.#attempts.succeeded(presented);
        return tokenIdentity(check);
    }
  }
}

function refused(code: 'token-wrong' | 'token-expired', detail: string): Problem {
  return new Problem(code, detail, { headers: { 'WWW-Authenticate': challenge({ error: 'invalid_token' }) } });
}
