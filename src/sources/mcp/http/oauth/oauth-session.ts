import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../../../core/errors.ts';
import { withAuthorizationFetch } from './authorization-fetch.ts';
import { type OAuthOptions, type ProtectedServer, type TokenStore, isUnattended } from './oauth-options.ts';
import { type SignInRecord, endedRecord, parseRecord, recordKey, withTokens } from './sign-in-record.ts';
import { TokenRefusedError, requestTokens } from './token-request.ts';

/** No usable token is available. The request was not run. */
export class NotAuthorizedError extends Error {
  override readonly name: string = 'NotAuthorizedError';
  readonly code: 'SIGNALBOX_NOT_AUTHORIZED' | 'SIGNALBOX_SIGN_IN_NEEDED' = 'SIGNALBOX_NOT_AUTHORIZED';
}

/** A person has to sign in. The message becomes the reason why the server is down. */
export class SignInNeededError extends NotAuthorizedError {
  override readonly name = 'SignInNeededError';
  override readonly code = 'SIGNALBOX_SIGN_IN_NEEDED';

  constructor(why: string, { howToSignIn = 'call signIn() with its transport' }: OAuthOptions, options?: ErrorOptions) {
    super(`needs sign-in (${why}): ${howToSignIn}`, options);
  }
}

/** State that all connections with one sign-in share. */
interface Shared {
  record?: SignInRecord | undefined;
  renewing?: Promise<SignInRecord> | undefined;
}

/** Creates a store that lasts as long as the process. */
export function memoryTokenStore(): TokenStore {
  const texts = new Map<string, string>();
  return {
    load: (key) => Promise.resolve(texts.get(key)),
    save(key, text) {
      if (text === undefined) texts.delete(key);
      else texts.set(key, text);
      return Promise.resolve();
    },
  };
}

/** The store of `signIn` and of servers that are configured without one. */
const processTokenStore = memoryTokenStore();

const shared = new WeakMap<TokenStore, Map<string, Shared>>();
/** Errors of the token endpoint that a retry does not change. */
const finalErrors = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);
const otherProcessMs = 300;

/** The tokens for one server: stored, renewed before they expire, with one renewal at a time. */
export class OAuthSession {
  readonly #server: ProtectedServer;
  readonly #store: TokenStore;
  readonly #key: string;
  readonly #shared: Shared;

  constructor(server: ProtectedServer) {
    this.#server = server;
    this.#store = server.oauth.tokens ?? processTokenStore;
    this.#key = recordKey(new URL(server.url), server.oauth);
    const ofStore = shared.get(this.#store) ?? new Map<string, Shared>();
    shared.set(this.#store, ofStore);
    this.#shared = ofStore.get(this.#key) ?? {};
    ofStore.set(this.#key, this.#shared);
  }

  /** Returns a valid token. Rejects with `NotAuthorizedError` when there is none. */
  async token(): Promise<string> {
    const { record } = this.#shared;
    if (record?.accessToken !== undefined && isFresh(record)) return record.accessToken;
    return await this.#renewed(undefined);
  }

  /** Returns another token than the one that the server refused. */
  async replace(refused: string): Promise<string> {
    return await this.#renewed(refused);
  }

  /** Reads the stored record, which another process may have changed. */
  async record(): Promise<SignInRecord | undefined> {
    try {
      const record = parseRecord(await this.#store.load(this.#key));
      this.#reportSecrets(record);
      return record;
    } catch (error) {
      throw this.#needsSignIn(`the stored sign-in cannot be used: ${messageOf(error)}`, error);
    }
  }

  /** Stores a record, or deletes it when `undefined`. */
  async save(record: SignInRecord | undefined): Promise<void> {
    this.#reportSecrets(record);
    this.#shared.record = record;
    await this.#store.save(this.#key, record === undefined ? undefined : JSON.stringify(record));
  }

  /** Adds a scope to request at the next sign-in. */
  async requireScope(scope: string): Promise<void> {
    const record = await this.record();
    if (record !== undefined) await this.save({ ...record, wantedScope: `${record.scope ?? ''} ${scope}`.trim() });
  }

  async #renewed(refused: string | undefined): Promise<string> {
    this.#shared.renewing ??= this.#renew(refused).finally(() => (this.#shared.renewing = undefined));
    const { accessToken } = await this.#shared.renewing;
    if (accessToken === undefined) throw this.#needsSignIn('the sign-in has expired');
    return accessToken;
  }

  async #renew(refused: string | undefined): Promise<SignInRecord> {
    const stored = await this.record();
    if (stored !== undefined && stored.accessToken !== refused && isFresh(stored))
      return (this.#shared.record = stored);
    this.#shared.record = undefined;
    const isUnattendedGrant = isUnattended(this.#server.oauth);
    if (stored === undefined && !isUnattendedGrant) throw this.#needsSignIn('nobody has signed in yet');
    const renew = (): Promise<SignInRecord> => (isUnattendedGrant ? this.#obtain() : this.#renewExclusively(refused));
    return await (this.#store.exclusively?.(this.#key, renew) ?? renew());
  }

  /** Reads the record again first: a refresh token that is used twice may end the whole sign-in. */
  async #renewExclusively(refused: string | undefined): Promise<SignInRecord> {
    const stored = await this.record();
    if (stored === undefined) throw this.#needsSignIn('nobody has signed in yet');
    if (stored.accessToken !== refused && isFresh(stored)) return (this.#shared.record = stored);
    if (stored.refreshToken === undefined) throw this.#needsSignIn(stored.ended ?? 'the sign-in has expired');
    try {
      return await this.#refresh(stored, stored.refreshToken);
    } catch (error) {
      if (error instanceof TokenRefusedError && finalErrors.has(error.error))
        return await this.#afterRefusal(stored, error);
      // The present token is still valid.
      if (stored.accessToken !== refused && (stored.expiresAt ?? 0) > Date.now()) return stored;
      throw new NotAuthorizedError(`its sign-in could not be renewed: ${messageOf(error)}`, { cause: error });
    }
  }

  async #refresh(stored: SignInRecord, refreshToken: string): Promise<SignInRecord> {
    const { resource } = stored;
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken, resource };
    const tokens = await withAuthorizationFetch(this.#server, (fetch) => requestTokens(stored, grant, fetch));
    const renewed = withTokens(stored, tokens);
    await this.save(renewed);
    return renewed;
  }

  /** Handles a refused refresh token, which is valid once: another process may have used it and be about to store the result. */
  async #afterRefusal(stored: SignInRecord, refusal: TokenRefusedError): Promise<SignInRecord> {
    await wait(otherProcessMs);
    const now = await this.record();
    if (now !== undefined && now.refreshToken !== stored.refreshToken && isFresh(now))
      return (this.#shared.record = now);
    const why = `the sign-in could not be renewed, ${refusal.message}`;
    await this.save(endedRecord(stored, why));
    throw this.#needsSignIn(why, refusal);
  }

  async #obtain(): Promise<SignInRecord> {
    try {
      // Imports the SDK, which signing out does not need.
      const { authorizeByCredentials } = await import('./authorize-by-credentials.ts');
      const record = await withAuthorizationFetch(this.#server, (fetch) => authorizeByCredentials(this.#server, fetch));
      await this.save(record);
      return record;
    } catch (error) {
      const grant = this.#server.oauth.grant === 'jwt_bearer' ? 'token of this workload' : 'client credentials';
      throw new NotAuthorizedError(`it issued no token for the ${grant}: ${messageOf(error)}`, { cause: error });
    }
  }

  #needsSignIn(why: string, cause?: unknown): SignInNeededError {
    return new SignInNeededError(why, this.#server.oauth, { cause });
  }

  #reportSecrets(record: SignInRecord | undefined): void {
    const { onSecret, account = 'server' } = this.#server.oauth;
    if (onSecret === undefined || record === undefined) return;
    for (const kind of ['accessToken', 'refreshToken', 'clientSecret'] as const) {
      const value = record[kind];
      if (value !== undefined) onSecret(`${account}.${kind}`, value);
    }
  }
}

function isFresh({ accessToken, renewAt }: SignInRecord): boolean {
  return accessToken !== undefined && (renewAt === undefined || renewAt > Date.now());
}
