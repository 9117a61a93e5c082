const upper = { from: 0x41, to: 0x5a, shift: 0x20 };
const lower = { from: 0x61, to: 0x7a, shift: -0x20 };
const nonAscii = /[^\u0000-\u007f]/;

/** Converts A–Z to a–z and leaves all other characters unchanged. */
export function lowerAscii(text: string): string {
  return nonAscii.test(text) ? shifted(text, upper) : text.toLowerCase();
}

/** Converts a–z to A–Z and leaves all other characters unchanged. */
export function upperAscii(text: string): string {
  return nonAscii.test(text) ? shifted(text, lower) : text.toUpperCase();
}

/** Shifts a range of letters. JavaScript's own conversions change other letters too: the Kelvin sign becomes "k", "ß" becomes "SS". */
function shifted(text: string, { from, to, shift }: typeof upper): string {
  const bytes = Buffer.from(text, 'utf16le');
  for (let index = 0; index < bytes.length; index += 2) {
    const unit = bytes[index] ?? 0;
    if (bytes[index + 1] === 0 && unit >= from && unit <= to) bytes[index] = unit + shift;
  }
  return bytes.toString('utf16le');
}
