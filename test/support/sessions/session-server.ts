import type { TestContext } from 'node:test';
import type { Role } from '../../../src/core/principal.ts';
import type { Session } from '../../../src/sessions/sessions.ts';
import type { SessionEvent } from '../../../src/sessions/events/session-event.ts';
import type { RunningServer } from '../../../src/server/server-options.ts';
import { startServer } from '../../../src/server/start-server.ts';
import { type ClientStream, openStream } from '../http/event-stream.ts';
import { adminToken, bodyOf } from '../http/http-server.ts';
import { type SessionFixtureOptions, type SessionFixture, openSessionFixture } from './session-fixture.ts';

/** Sessions on a real server, closed with the test. */
export interface SessionServer {
  readonly fixture: SessionFixture;
  readonly server: RunningServer;
  /** Sends a request, by default with the admin token. */
  ask(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Response>;
  /** Returns request headers with a token of this role. */
  as(role: Role): Promise<Record<string, string>>;
  /** Creates a session and returns its id. */
  create(options?: object): Promise<string>;
  /** Sends a message and streams its turn. */
  say(id: string, content: string): Promise<ClientStream>;
  /** Opens the event stream of a session. */
  watch(id: string, resume?: { readonly after?: number; readonly lastEventId?: string }): Promise<ClientStream>;
  /** Stops the server and starts a new one on the same sessions. */
  restart(): Promise<void>;
}

export async function openSessionServer(
  test: TestContext,
  fixtureOptions: SessionFixtureOptions = {},
  limits: { readonly graceMs: number } = { graceMs: 1000 },
): Promise<SessionServer> {
  const fixture = await openSessionFixture(fixtureOptions);
  const { box, sessions } = fixture;
  const start = (): Promise<RunningServer> =>
    startServer({ box, sessions, host: '127.0.0.1', port: 0, token: adminToken, limits });
  let server = await start();
  test.after(async () => {
    await server.close();
    await fixture.close();
  });
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const ask: SessionServer['ask'] = (method, path, body, moreHeaders = {}) =>
    fetch(server.url + path, {
      method,
      headers: { ...headers, ...moreHeaders },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    fixture,
    get server() {
      return server;
    },
    ask,
    async as(role) {
      const { token } = await box.tokens.create({ role, by: { id: 'alice', kind: 'human' } });
      return { authorization: `Bearer ${token}` };
    },
    create: async (options = {}) => (await bodyOf<Session>(ask('POST', '/api/sessions', options))).id,
    say: (id, content) =>
      openStream(`${server.url}/api/sessions/${id}/messages`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ content }),
      }),
    watch: (id, { after, lastEventId } = {}) =>
      openStream(`${server.url}/api/sessions/${id}/events${after === undefined ? '' : `?after=${after}`}`, {
        headers: { ...headers, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
      }),
    async restart() {
      await server.close();
      server = await start();
    },
  };
}

/** Returns the events of a stream up to a match or the end. */
export async function eventsOf(
  stream: ClientStream,
  matches: (event: SessionEvent) => boolean = () => false,
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const { id, event: name, data } of stream) {
    const event = JSON.parse(data) as SessionEvent;
    if (id !== String(event.seq) || name !== event.type) throw new Error(`${id} ${name} is not ${data}`);
    events.push(event);
    if (matches(event)) break;
  }
  return events;
}

/** Matches the end of a turn. */
export function isDone({ type }: SessionEvent): boolean {
  return type === 'done';
}
