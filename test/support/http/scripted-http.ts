import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** A request of a provider's package. */
export interface ScriptedRequest {
  readonly path: string;
  readonly body: unknown;
}

/** Starts a server that responds with the next of these bodies, as JSON, and repeats the last one. Closed with the test. */
export async function startScriptedHttp(
  test: TestContext,
  answers: readonly object[],
): Promise<{ readonly url: string; readonly requests: readonly ScriptedRequest[] }> {
  const requests: ScriptedRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', body: JSON.parse(body) });
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
