const minEncodedBytes = 8;

/**
 * Returns every encoding of a secret value that is searched for: plain, escaped in JSON, HTML, XML and for shells, percent-encoded, in hex
 * and base64, in UTF-16, and encoded twice. The search itself handles line breaks inside an encoding.
 */
export function secretEncodings(value: string): string[] {
  const texts = [value, ...markupForms(value), ...shellForms(value)];
  const forms = [...texts, ...texts.flatMap(escapedForms), ...percentForms(value)];
  const bytes = Buffer.from(value);
  if (bytes.length >= minEncodedBytes) {
    const wide = Buffer.from(value, 'utf16le');
    const wideBigEndian = Buffer.from(wide).swap16();
    forms.push(...[bytes, wide, wideBigEndian].flatMap((each) => [...hexForms(each), ...base64Forms(each)]));
    forms.push(...doubleForms(value, bytes), ...utf16Forms(value));
  }
  return [...new Set(forms)];
}

/** Returns the forms of a value in nested JSON documents: each level escapes the escapes of the previous one. */
function escapedForms(value: string): string[] {
  const plain = escape(value);
  return [plain, escapeNonAscii(plain), plain.replaceAll('/', String.raw`\/`)].flatMap((once) => {
    const twice = escape(once);
    return [once, twice, escape(twice)];
  });
}

function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Escapes non-ASCII characters, as encoders that write only ASCII do, such as Python's `json.dumps`. */
function escapeNonAscii(escaped: string): string {
  return escaped.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function percentForms(value: string): string[] {
  const plain = encodeURIComponent(value);
  const strict = plain.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = strict.replaceAll('%20', '+');
  return [plain, strict, form].flatMap((encoded) => [
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()),
  ]);
}

const namedMarks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Returns the HTML and XML forms. Encoders differ in which quotes they escape and how, and some write every character as a number. */
function markupForms(value: string): string[] {
  const tags = value.replace(/[&<>]/g, (mark) => namedMarks[mark] ?? mark);
  const quoted = value.replace(/[&<>"]/g, (mark) => namedMarks[mark] ?? mark);
  const numbered = (digits: (code: number) => string): string =>
    [...value].map((character) => `&#${digits(character.codePointAt(0) ?? 0)};`).join('');
  const named = [
    tags,
    quoted,
    ...['&#39;', '&#039;', '&#x27;', '&apos;'].map((quote) => quoted.replaceAll("'", quote)),
  ];
  return [
    ...named,
    ...named.map((once) => once.replaceAll('&', '&amp;')),
    numbered(String),
    numbered((code) => `x${code.toString(16)}`),
    numbered((code) => `x${code.toString(16).toUpperCase()}`),
  ];
}

/** Returns the forms of shells and their quoting functions: single or double quotes, backslashes, and `$'…'`. */
function shellForms(value: string): string[] {
  const ansi = value
    .replace(/[\\']/g, (mark) => `\\${mark}`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`)
    .replaceAll('\r', String.raw`\r`);
  return [
    value.replaceAll("'", String.raw`'\''`),
    value.replaceAll("'", `'"'"'`),
    value.replace(/["$`\\]/g, (mark) => `\\${mark}`),
    value.replace(/["$`\\!]/g, (mark) => `\\${mark}`),
    value.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, (mark) => `\\${mark}`),
    ansi,
  ];
}

function hexForms(bytes: Buffer): string[] {
  const hex = bytes.toString('hex');
  return [hex, hex.toUpperCase()];
}

/** Returns the base64 characters that depend on the secret alone, for each of its three possible offsets in a group of three bytes. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const own = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Returns the forms that are encoded twice: a token in a query in a query, or a base64 header inside base64 or a query. */
function doubleForms(value: string, bytes: Buffer): string[] {
  const once = base64Forms(bytes);
  return [
    ...percentForms(value).flatMap(percentForms),
    ...once.flatMap(percentForms),
    ...once.flatMap((form) => base64Forms(Buffer.from(form))),
    ...percentForms(value).flatMap((form) => base64Forms(Buffer.from(form))),
  ];
}

/** Returns the forms of UTF-16 that was read as one character per byte, in both byte orders: plain, and escaped in JSON. */
function utf16Forms(value: string): string[] {
  const units = [...Buffer.from(value, 'utf16le').toString('latin1')];
  const swapped = [...Buffer.from(value, 'utf16le').swap16().toString('latin1')];
  // The zero byte before the first or after the last character belongs to the neighboring character.
  const texts = [units.slice(0, -1).join(''), swapped.slice(1).join('')];
  return texts.flatMap((text) => [text, ...escapedForms(text)]);
}
