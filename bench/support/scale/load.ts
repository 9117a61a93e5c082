import { HttpConnection } from '../gateway/http-connection.ts';
import { quantile } from '../measure.ts';
import type { Replica } from './replicas.ts';

/** The result of a load test. */
export interface LoadResult {
  readonly calls: number;
  /** The duration in milliseconds, like the latencies. */
  readonly durationMs: number;
  readonly p50: number;
  readonly p99: number;
  /** The number of calls that ended in each full second. */
  readonly perSecond: readonly number[];
}

/**
 * Calls a tool on all servers for a duration, with `inFlight` concurrent calls on each. Checks the responses without parsing
 * them.
 */
export async function load(
  replicas: readonly Replica[],
  tool: string,
  inFlight: number,
  seconds: number,
): Promise<LoadResult> {
  const latencies: number[] = [];
  const perSecond = Array.from({ length: Math.max(1, Math.floor(seconds)) }, () => 0);
  const loadStart = performance.now();
  const end = loadStart + seconds * 1000;
  const body = JSON.stringify({ arguments: { text: 'x'.repeat(100) } });
  const callUntilEnd = async ({ port, token }: Replica): Promise<void> => {
    const connection = new HttpConnection(port);
    const request = `POST /api/tools/${tool}/call HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    while (performance.now() < end) {
      const started = performance.now();
      const answer = await connection.send(request);
      if (!answer.body.includes('"outcome":"completed"'))
        throw new Error(`${answer.status}: ${answer.body.toString().slice(0, 500)}`);
      const now = performance.now();
      latencies.push(now - started);
      const second = Math.floor((now - loadStart) / 1000);
      if (second < perSecond.length) perSecond[second] = (perSecond[second] ?? 0) + 1;
    }
    connection.close();
  };
  await Promise.all(replicas.flatMap((replica) => Array.from({ length: inFlight }, () => callUntilEnd(replica))));
  latencies.sort((a, b) => a - b);
  return {
    calls: latencies.length,
    durationMs: performance.now() - loadStart,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    perSecond,
  };
}
