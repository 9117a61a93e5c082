import { type IncomingMessage, request } from 'node:http';
import { within } from '../within.ts';

/** A message, parsed as the standard requires. */
export interface ReceivedMessage {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The client side of a stream of server-sent events. */
export interface ClientStream extends AsyncIterable<ReceivedMessage> {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Returns the value that a browser would send as `Last-Event-ID`. */
  lastEventId(): string;
  /** Returns the number of comments so far. */
  comments(): number;
  /** Closes the connection. */
  drop(): void;
}

/** Opens a stream over a new connection. Reads only as many messages as the test consumes. */
export function openStream(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<ClientStream> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options;
    const outgoing = request(url, { method, headers: { accept: 'text/event-stream', ...headers }, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => resolve(read(incoming)));
    outgoing.end(body);
  });
}

/** Returns the data of the next messages and leaves the stream open. */
export async function take<Data>(stream: ClientStream, count: number): Promise<Data[]> {
  const taken: Data[] = [];
  const messages = stream[Symbol.asyncIterator]();
  while (taken.length < count) {
    const { done, value } = await within(messages.next(), `message ${taken.length + 1} of ${count}`, () =>
      JSON.stringify(taken),
    );
    if (done === true) throw new Error(`the stream ended after ${taken.length} of ${count} messages`);
    taken.push(JSON.parse(value.data) as Data);
  }
  return taken;
}

function read(incoming: IncomingMessage): ClientStream {
  let lastId = '';
  let comments = 0;
  let isDropped = false;
  const messages = untilDropped();

  async function* untilDropped(): AsyncGenerator<ReceivedMessage> {
    try {
      yield* parse();
    } catch (error) {
      if (!isDropped) throw error;
    }
  }

  async function* parse(): AsyncGenerator<ReceivedMessage> {
    let rest = '';
    let id = '';
    let event = '';
    let data: string[] = [];
    incoming.setEncoding('utf8');
    for await (const chunk of incoming as AsyncIterable<string>) {
      const lines = (rest + chunk).split(/\r\n|\r(?!$)|\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          lastId = id;
          const message = { id, event: event === '' ? 'message' : event, data: data.join('\n') };
          if (data.length > 0) yield message;
          event = '';
          data = [];
          continue;
        }
        const colon = line.indexOf(':');
        const field = colon === -1 ? line : line.slice(0, colon);
        const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (field === '') comments += 1;
        else if (field === 'id') id = value;
        else if (field === 'event') event = value;
        else if (field === 'data') data.push(value);
      }
    }
  }

  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    lastEventId: () => lastId,
    comments: () => comments,
    drop() {
      isDropped = true;
      incoming.destroy();
    },
    // All iterators share one reader, so that a test can take a few messages and read the rest later.
    [Symbol.asyncIterator]: () => ({ next: () => messages.next() }),
  };
}
