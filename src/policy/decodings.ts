const rounds = 2;
/** Nothing shorter is recognised, nor is anything that it could be decoded into. */
const shortest = 8;
const noise = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffd]/g;

/** A text, and what it says where it is encoded for URLs or as hex or base64; also when it was encoded twice. */
export function* decodings(text: string): Generator<string> {
  yield text;
  let latest = [text];
  for (let round = 0; round < rounds; round += 1) {
    latest = latest.flatMap(decoded);
    yield* latest;
  }
}

function decoded(text: string): string[] {
  const found: string[] = [];
  if (/%[0-9a-f]{2}/i.test(text)) found.push(text.replace(/(?:%[0-9a-f]{2})+/gi, fromUrl));
  // What stands before it may belong to the alphabet too, so every alignment is tried.
  for (const [run] of text.matchAll(/[0-9a-f]{16,}/gi))
    for (let skip = 0; skip < 2; skip += 1) keep(found, Buffer.from(run.slice(skip), 'hex'));
  for (const [run] of text.matchAll(/[A-Za-z0-9+/_-]{11,}/g))
    for (let skip = 0; skip < 4; skip += 1) keep(found, Buffer.from(run.slice(skip), 'base64'));
  return found;
}

function fromUrl(run: string): string {
  return Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8');
}

function keep(found: string[], bytes: Buffer): void {
  const text = bytes.toString('utf8');
  // The wrong alignment gives noise, and looking through noise finds nothing but costs time.
  const readable = text.replace(noise, '');
  if (readable.length >= shortest && readable.length * 2 > text.length) found.push(readable);
}
