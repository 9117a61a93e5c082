const maxRounds = 2;
/** Shorter text is not recognized, nor is anything that it decodes to. */
const minLength = 8;
const noise = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffd]/g;

/** Yields a text and its decodings from percent-encoding, hex and base64, also when it was encoded twice. */
export function* decodings(text: string): Generator<string> {
  yield text;
  let latest = [text];
  for (let round = 0; round < maxRounds; round += 1) {
    latest = latest.flatMap(decoded);
    yield* latest;
  }
}

function decoded(text: string): string[] {
  const found: string[] = [];
  if (/%[0-9a-f]{2}/i.test(text)) found.push(text.replace(/(?:%[0-9a-f]{2})+/gi, fromUrl));
  // Characters before the encoded text may belong to the alphabet too, so every alignment is tried.
  found.push(...aligned(text, /[0-9a-f]{16,}/gi, 'hex', 2), ...aligned(text, /[A-Za-z0-9+/_-]{11,}/g, 'base64', 4));
  return found;
}

/** Returns, for each alignment, the decoded text of all runs of an alphabet. */
function aligned(text: string, runs: RegExp, encoding: 'hex' | 'base64', alignments: number): string[] {
  const all = text.match(runs) ?? [];
  const found: string[] = [];
  for (let skip = 0; skip < alignments; skip += 1) {
    const pieces = all.flatMap((run) => readable(Buffer.from(run.slice(skip), encoding)) ?? []);
    if (pieces.length > 0) found.push(pieces.join('\n'));
  }
  return found;
}

function fromUrl(run: string): string {
  return Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8');
}

function readable(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  // A wrong alignment produces noise, which is not worth searching.
  const found = text.replace(noise, '');
  return found.length >= minLength && found.length * 2 > text.length ? found : undefined;
}
