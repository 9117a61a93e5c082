import { crc32, deflateSync } from 'node:zlib';

/** Returns a PNG of random colors, which cannot be compressed: about three bytes a pixel. */
export function noisePng(width: number, height: number, random: () => number = Math.random): Buffer {
  const row = 1 + width * 3;
  const pixels = Buffer.from(Uint8Array.from({ length: row * height }, () => random() * 256));
  for (let line = 0; line < height; line += 1) pixels[line * row] = 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits each for red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  const named = Buffer.concat([Buffer.from(type), data]);
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
