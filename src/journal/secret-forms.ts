const SHORTEST_ENCODED = 8;

/** Every way in which a secret value is looked for: as it is, escaped in JSON, percent-encoded, in hex, in base64. */
export function secretForms(value: string): string[] {
  const forms = [value, ...escapedForms(value), ...percentForms(value)];
  const bytes = Buffer.from(value);
  if (bytes.length >= SHORTEST_ENCODED) forms.push(...hexForms(bytes), ...base64Forms(bytes));
  return [...new Set(forms)];
}

/** JSON inside JSON inside JSON: each level escapes the escapes of the one before. */
function escapedForms(value: string): string[] {
  const usual = escape(value);
  return [usual, escapeNonAscii(usual), usual.replaceAll('/', String.raw`\/`)].flatMap((once) => {
    const twice = escape(once);
    return [once, twice, escape(twice)];
  });
}

function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What encoders write that keep to ASCII, such as Python's `json.dumps`. */
function escapeNonAscii(escaped: string): string {
  return escaped.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function percentForms(value: string): string[] {
  const usual = encodeURIComponent(value);
  const strict = usual.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = strict.replaceAll('%20', '+');
  return [usual, strict, form].flatMap((encoded) => [
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()),
  ]);
}

function hexForms(bytes: Buffer): string[] {
  const hex = bytes.toString('hex');
  return [hex, hex.toUpperCase()];
}

/** The characters that the secret alone decides, for each of the three places it can have in a group of three bytes. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const own = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
