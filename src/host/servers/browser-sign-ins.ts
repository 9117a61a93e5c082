import type { Configuration } from '../../config/configuration.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import type { SignInState } from '../../server/routes/servers/served-configuration.ts';
import { isUnattended } from '../../sources/mcp/http/oauth/oauth-options.ts';
import { signIn } from '../../sources/mcp/http/oauth/sign-in.ts';
import { type ReferenceContext, resolveTransport } from './external-transport.ts';

const signInTimeoutMs = 5 * 60_000;

/** Options of `BrowserSignIns`. */
export interface BrowserSignInOptions {
  configuration(): Configuration;
  readonly references: ReferenceContext;
  /** Called when a person has signed in to a server. */
  signedIn(server: string): Promise<void>;
}

/** Sign-ins in a browser, at most one for each server. The browser is redirected back to a loopback address of this process. */
export class BrowserSignIns {
  readonly #parts: BrowserSignInOptions;
  readonly #states = new Map<string, SignInState>();
  readonly #waiting = new Map<string, AbortController>();

  constructor(parts: BrowserSignInOptions) {
    this.#parts = parts;
  }

  state(server: string): SignInState | undefined {
    return this.#states.get(server);
  }

  /** Starts a sign-in and cancels an earlier one of the server. Resolves with the address to open in the browser. */
  async begin(server: string): Promise<URL> {
    const { references } = this.#parts;
    const entry = this.#parts.configuration().servers.find(({ name }) => name === server);
    if (entry === undefined) throw new SignalboxError('server-unknown', `the configuration has no server "${server}"`);
    const transport = entry.kind === 'local' ? undefined : await resolveTransport(entry, references);
    const oauth = transport === undefined || transport.type === 'stdio' ? undefined : transport.oauth;
    if (transport === undefined || transport.type === 'stdio' || oauth === undefined)
      throw refused(
        `server "${server}" has no OAuth sign-in; add "auth": { "type": "oauth" } to its entry, if it has a "url"`,
      );
    if (isUnattended(oauth))
      throw refused(`server "${server}" signs in with its own credentials; a person cannot sign in to it`);
    this.#waiting.get(server)?.abort();
    const cancelling = new AbortController();
    this.#waiting.set(server, cancelling);
    const { promise, resolve, reject } = Promise.withResolvers<URL>();
    const { type, url } = transport;
    const options = { onAuthorize: resolve, signal: cancelling.signal, timeoutMs: signInTimeoutMs };
    this.#states.set(server, { state: 'waiting', since: Date.now() });
    const finish = (state: SignInState): void => {
      // A newer sign-in has replaced this one.
      if (this.#waiting.get(server) !== cancelling) return;
      this.#waiting.delete(server);
      this.#states.set(server, state);
    };
    signIn({ type, url, oauth }, options).then(
      async () => {
        finish({ state: 'signed-in', since: Date.now() });
        await this.#parts.signedIn(server).catch(() => undefined);
      },
      (error: unknown) => {
        const why = references.redact(messageOf(error));
        finish({ state: 'failed', since: Date.now(), error: why });
        reject(new SignalboxError('sign-in-failed', `sign-in at "${server}" failed: ${why}`, { cause: error }));
      },
    );
    return promise;
  }

  close(): void {
    for (const waiting of this.#waiting.values()) waiting.abort();
  }
}

function refused(message: string): SignalboxError {
  return new SignalboxError('sign-in-refused', message);
}
