import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../../../core/errors.ts';
import { withAuthorizationFetch } from './authorization-fetch.ts';
import { NotAuthorized, SignInNeeded } from './oauth-errors.ts';
import { type ProtectedServer, isUnattended } from './oauth-options.ts';
import { type SignInRecord, endedRecord, parseRecord, recordKey, withTokens } from './tokens/sign-in-record.ts';
import { TokenRefused, requestTokens } from './tokens/token-request.ts';
import { type TokenStore, processTokenStore } from './tokens/token-store.ts';

/** What all connections with one sign-in share. */
interface Shared {
  record?: SignInRecord | undefined;
  renewing?: Promise<SignInRecord> | undefined;
}

const shared = new WeakMap<TokenStore, Map<string, Shared>>();
/** Refusals that another try does not change. */
const final = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);
const otherProcessMs = 300;

/** The tokens for one server: kept, renewed before they expire, and renewed only once at a time. */
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

  /** A token that the server should take. Rejects with `NotAuthorized` when there is none. */
  async token(): Promise<string> {
    const { record } = this.#shared;
    if (record?.accessToken !== undefined && isFresh(record)) return record.accessToken;
    return await this.#renewed(undefined);
  }

  /** Another token than the one that the server refused. */
  async replace(refused: string): Promise<string> {
    return await this.#renewed(refused);
  }

  /** What is kept, read anew: another process may have changed it. */
  async record(): Promise<SignInRecord | undefined> {
    try {
      const record = parseRecord(await this.#store.load(this.#key));
      this.#tellSecrets(record);
      return record;
    } catch (error) {
      throw this.#needsSignIn(`what is kept of the last one cannot be used: ${messageOf(error)}`, error);
    }
  }

  /** Takes over a sign-in; without one, forgets it. */
  async save(record: SignInRecord | undefined): Promise<void> {
    this.#tellSecrets(record);
    this.#shared.record = record;
    await this.#store.save(this.#key, record === undefined ? undefined : JSON.stringify(record));
  }

  /** Notes what the next sign-in has to ask for. */
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
    const kept = await this.record();
    if (kept !== undefined && kept.accessToken !== refused && isFresh(kept)) return (this.#shared.record = kept);
    this.#shared.record = undefined;
    const isByItself = isUnattended(this.#server.oauth);
    if (kept === undefined && !isByItself) throw this.#needsSignIn('nobody has signed in yet');
    const renew = (): Promise<SignInRecord> => (isByItself ? this.#obtain() : this.#renewAlone(refused));
    return await (this.#store.exclusively?.(this.#key, renew) ?? renew());
  }

  /** Reads again what is kept: a refresh token that is used twice may end the whole sign-in. */
  async #renewAlone(refused: string | undefined): Promise<SignInRecord> {
    const kept = await this.record();
    if (kept === undefined) throw this.#needsSignIn('nobody has signed in yet');
    if (kept.accessToken !== refused && isFresh(kept)) return (this.#shared.record = kept);
    if (kept.refreshToken === undefined) throw this.#needsSignIn(kept.ended ?? 'the sign-in has expired');
    try {
      return await this.#refresh(kept, kept.refreshToken);
    } catch (error) {
      if (error instanceof TokenRefused && final.has(error.error)) return await this.#afterRefusal(kept, error);
      // Early renewal may fail without harm.
      if (kept.accessToken !== refused && (kept.expiresAt ?? 0) > Date.now()) return kept;
      throw new NotAuthorized(`its sign-in could not be renewed: ${messageOf(error)}`, { cause: error });
    }
  }

  async #refresh(kept: SignInRecord, refreshToken: string): Promise<SignInRecord> {
    const { resource } = kept;
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken, resource };
    const tokens = await withAuthorizationFetch(this.#server, (fetch) => requestTokens(kept, grant, fetch));
    const renewed = withTokens(kept, tokens);
    await this.save(renewed);
    return renewed;
  }

  /** Refresh tokens are good for one use: another process may have had it, and be about to write down what it got. */
  async #afterRefusal(kept: SignInRecord, refusal: TokenRefused): Promise<SignInRecord> {
    await wait(otherProcessMs);
    const now = await this.record();
    if (now !== undefined && now.refreshToken !== kept.refreshToken && isFresh(now)) return (this.#shared.record = now);
    const why = `the sign-in could not be renewed, ${refusal.message}`;
    await this.save(endedRecord(kept, why));
    throw this.#needsSignIn(why, refusal);
  }

  async #obtain(): Promise<SignInRecord> {
    try {
      // With it comes the SDK, which signing out does not need.
      const { authorizeByCredentials } = await import('./authorize-by-credentials.ts');
      const record = await withAuthorizationFetch(this.#server, (fetch) => authorizeByCredentials(this.#server, fetch));
      await this.save(record);
      return record;
    } catch (error) {
      const grant = this.#server.oauth.grant === 'jwt_bearer' ? 'token of this workload' : 'client credentials';
      throw new NotAuthorized(`it gave no token for the ${grant}: ${messageOf(error)}`, { cause: error });
    }
  }

  #needsSignIn(why: string, cause?: unknown): SignInNeeded {
    return new SignInNeeded(why, this.#server.oauth, { cause });
  }

  #tellSecrets(record: SignInRecord | undefined): void {
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
