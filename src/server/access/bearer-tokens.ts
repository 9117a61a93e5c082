import type { Socket } from 'node:net';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import type { HttpAsk, HttpReply } from '../../surfaces/mcp/http/http-types.ts';
import { Problem } from '../problems/problem.ts';
import { challenge } from './challenge.ts';
import { commandLineIdentity, principalHeader } from './command-line.ts';
import { FailedAttempts } from './failed-attempts.ts';
import { type Identity, adminIdentity, tokenIdentity } from './identity.ts';
import { OpenRequests } from './open-requests.ts';

/** Which tokens are good. */
export interface TokenChecks {
  readonly isAdminToken: (presented: string) => boolean;
  /** Returns whether a token is the key of the run file, which the command line on this machine sends. */
  readonly isCommandLineKey?: ((presented: string) => boolean) | undefined;
  readonly tokens: InternalSignalbox['tokens'];
}

/** Recognises tokens of others, where they are taken; answers `undefined` for what is not of their form. */
export type OtherTokens = (presented: string) => Promise<Identity> | undefined;

/** Whom the last request on a connection came from. */
interface Recognised {
  readonly header: string;
  readonly identity: Identity;
  readonly until: number;
  readonly revocations: number;
}

/** Looking a token up costs a question to the store; another process may revoke one meanwhile. Less than the second within which open requests end. */
const recognisedForMs = 500;

/** Recognises the holders of tokens, and ends what they have open when their token ends. */
export class BearerTokens {
  readonly #checks: TokenChecks;
  readonly #attempts = new FailedAttempts();
  readonly #open: OpenRequests;
  readonly #recognised = new WeakMap<Socket, Recognised>();

  constructor(checks: TokenChecks) {
    this.#checks = checks;
    this.#open = new OpenRequests((identity) => this.isStillGood(identity));
  }

  /** Whose token the request carries; throws the problem with it. Call it only for requests with the header. */
  async identify(request: HttpAsk, response: HttpReply, others: OtherTokens = () => undefined): Promise<Identity> {
    const recognised = this.recognise(request, response);
    if (recognised !== undefined) return recognised;
    const identity = await this.#look(request, others);
    if (identity.token !== undefined) this.#open.add(identity, response);
    return identity;
  }

  /** Whose token the request carries, where its connection showed the same one just now. */
  recognise(request: HttpAsk, response: HttpReply): Identity | undefined {
    const identity = this.#justRecognised(request);
    if (identity?.token !== undefined) this.#open.add(identity, response);
    return identity;
  }

  /** Whether somebody who was recognised still would be. */
  async isStillGood({ token, isStillGood }: Identity): Promise<boolean> {
    if (isStillGood !== undefined) return isStillGood();
    return token === undefined || (await this.#checks.tokens.isActive(token));
  }

  /** A connection that sends the same header again, letter for letter, learns nothing from being let in sooner. */
  #justRecognised({ headers, socket }: HttpAsk): Identity | undefined {
    const known = this.#recognised.get(socket);
    if (known === undefined || known.header !== headers.authorization) return undefined;
    const isCurrent = performance.now() < known.until && known.revocations === this.#checks.tokens.revocations;
    return isCurrent ? known.identity : undefined;
  }

  async #look({ headers, socket }: HttpAsk, others: OtherTokens): Promise<Identity> {
    const header = headers.authorization ?? '';
    const { revocations } = this.#checks.tokens;
    const until = performance.now() + recognisedForMs;
    const presented = /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
    // Not cached for the connection: the next request may name another principal.
    if (this.#checks.isCommandLineKey?.(presented) === true) return commandLineIdentity(headers[principalHeader]);
    // Wrong ones of others are not counted: nobody guesses a signature, and behind a proxy all clients are one peer.
    const other = this.#checks.isAdminToken(presented) ? undefined : others(presented);
    if (other !== undefined) return other;
    const identity = await this.#identify(presented, socket.remoteAddress ?? '');
    this.#recognised.set(socket, { header, identity, until, revocations });
    return identity;
  }

  async #identify(presented: string, peer: string): Promise<Identity> {
    if (this.#checks.isAdminToken(presented)) return adminIdentity;
    // Checked before anything is counted: a hash and, for the form of a token, one lookup by its id.
    const check = await this.#checks.tokens.check(presented);
    switch (check.state) {
      case 'wrong':
        this.#countFailure(peer);
        throw refused('token-wrong', 'the Authorization header does not carry a token of this server');
      case 'expired':
        throw refused('token-expired', 'the token was good until a while ago; signalbox token create makes a new one');
      case 'revoked':
        throw refused('token-wrong', 'the token was revoked; signalbox token create makes a new one');
      case 'active':
        return tokenIdentity(check);
    }
  }

  /** Throws when too many wrong tokens came from the peer before. */
  #countFailure(peer: string): void {
    const waitSeconds = this.#attempts.failed(peer);
    if (waitSeconds === 0) return;
    const headers = { 'Retry-After': String(waitSeconds) };
    const detail = `the token is wrong, and too many wrong ones came from ${peer}; wait ${waitSeconds} s or send a valid one`;
    throw new Problem('attempts-exceeded', detail, { headers });
  }
}

function refused(code: 'token-wrong' | 'token-expired', detail: string): Problem {
  return new Problem(code, detail, { headers: { 'WWW-Authenticate': challenge({ error: 'invalid_token' }) } });
}
