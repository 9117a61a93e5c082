import { join } from 'node:path';
import { type ErrorCode, SignalboxError, errorCodes, messageOf } from '../../model/errors.ts';
import { Failure } from '../fail.ts';
import { type Globals, shortPath } from '../globals.ts';
import { runningServers } from '../serve/running-servers.ts';
import { readTokenFile } from '../serve/token-file.ts';

const patienceMs = 30_000;

/**
 * Sends a request to the server that runs on the data directory and returns the JSON of its answer. Rejects with the error that
 * the server reports.
 */
export async function requestServer<Answer>(
  { data }: Globals,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Answer> {
  const [server] = runningServers(data).toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
  if (server === undefined)
    throw new Failure(1, 'server-absent', `no server runs on ${shortPath(data)}, so nothing waits for an answer`, {
      next: 'signalbox serve',
    });
  const token = process.env['SIGNALBOX_TOKEN'] || readTokenFile(join(data, 'token')) || '';
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(patienceMs),
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new Failure(1, 'server-lost', `the server at ${server.url} does not answer: ${messageOf(error)}`, {
      next: 'signalbox status',
      cause: error,
    });
  });
  const answer = (await response.json()) as Answer & { code?: string; detail?: string };
  if (response.ok) return answer;
  const { code = 'server-lost', detail = `the server at ${server.url} answers with ${response.status}` } = answer;
  if (code in errorCodes) throw new SignalboxError(code as ErrorCode, detail);
  throw new Failure(1, code, detail, { next: 'signalbox status' });
}
