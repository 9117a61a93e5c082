/** A message of an event stream. */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  /** The last id of the stream, sent with this message or before it. */
  readonly lastId: string | undefined;
}

/**
 * Parses server-sent events from a response body, as `EventSource` does. `EventSource` itself cannot send the browser key, and
 * `eventsource-parser` drops the id of a message without data, which the server sends to mark the start of a stream.
 */
export async function* streamMessages(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<StreamMessage> {
  let lastId: string | undefined;
  let event = '';
  let data: string[] = [];
  for await (const line of linesOf(body.pipeThrough(new TextDecoderStream()))) {
    if (line === '') {
      if (data.length > 0) yield { event: event === '' ? 'message' : event, data: data.join('\n'), lastId };
      [event, data] = ['', []];
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'id') lastId = value;
    else if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  }
}

/** Splits at `\n`, the only line end that the server writes. An incomplete last line is dropped. */
async function* linesOf(chunks: ReadableStream<string>): AsyncGenerator<string> {
  const reader = chunks.getReader();
  try {
    let rest = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
