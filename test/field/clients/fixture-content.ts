import { crc32, deflateSync } from 'node:zlib';

/** Lines with a total of 100 KB. */
export const largeLines: readonly string[] = Array.from(
  { length: 1000 },
  (_, index) => `line ${String(index).padStart(4, '0')} ${'of a long result '.repeat(6).slice(0, 90)}`,
);

const side = 400;

/** A valid PNG of noise, which cannot be compressed: about 480 KB, in base64. */
export const picture = png(side, noise(side));

/** Creates scanlines of pixels from a fixed generator, each with its filter byte. */
function noise(size: number): Buffer {
  const rows = Buffer.alloc(size * (1 + size * 3));
  let state = 12_345;
  for (let index = 0; index < rows.length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    rows[index] = index % (1 + size * 3) === 0 ? 0 : state >>> 16;
  }
  return rows;
}

function png(size: number, rows: Buffer): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]).toString('base64');
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
