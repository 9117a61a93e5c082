import { createHash, timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The response that the browser delivered. */
export interface Callback {
  readonly parameters: URLSearchParams;
  /** Shows the result in the browser. */
  answer(isSignedIn: boolean, text: string): void;
}

/** Waits on a loopback address for the redirect of the browser. */
export interface CallbackListener {
  readonly redirectUri: string;
  /** Resolves with the response that carries our state. Others are rejected, so that no page can end a sign-in by guessing the port. */
  readonly callback: Promise<Callback>;
  close(): void;
}

/** Opens a loopback address for one response (RFC 8252, section 7.3). */
export async function listenForCallback(state: string, port = 0): Promise<CallbackListener> {
  const { promise, resolve } = Promise.withResolvers<Callback>();
  const server = createServer((request, response) => {
    const { host, parameters } = parseCallback(request, own.port);
    if (host !== `127.0.0.1:${own.port}` || parameters === undefined) return reply(response, 404, 'Not found.');
    if (!isSame(parameters.getAll('state'), state))
      return reply(response, 400, 'This response does not belong to the pending sign-in. Start the sign-in again.');
    resolve({
      parameters,
      answer: (isSignedIn, text) => reply(response, isSignedIn ? 200 : 400, text, isSignedIn),
    });
  });
  await new Promise<void>((listening, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', listening);
  });
  const own = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${own.port}/callback`,
    callback: promise,
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

/** Returns the requested host, and the parameters of a request to the callback. */
function parseCallback(
  request: IncomingMessage,
  port: number,
): { host: string | undefined; parameters?: URLSearchParams } {
  const { host } = request.headers;
  const base = `http://127.0.0.1:${port}`;
  const url = URL.canParse(request.url ?? '', base) ? new URL(request.url ?? '', base) : undefined;
  return request.method === 'GET' && url?.pathname === '/callback' ? { host, parameters: url.searchParams } : { host };
}

function isSame(given: readonly string[], expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const [only = ''] = given;
  return timingSafeEqual(digest(only), digest(expected)) && given.length === 1;
}

function reply(response: ServerResponse, status: number, text: string, isSignedIn = false): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(callbackPage(isSignedIn, text));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Returns the page that ends a sign-in. */
function callbackPage(isSignedIn: boolean, text: string): string {
  const title = isSignedIn ? 'Signed in' : 'Not signed in';
  const safe = text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Signalbox</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.6rem; }
</style>
<h1>${title}</h1>
<p>${safe}</p>
`;
}
