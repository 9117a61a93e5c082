import { Transform } from 'node:stream';

/** An event ends with an empty line; these are the ends of one, whichever way lines end. */
const emptyLines = ['\n\n', '\n\r\n', '\r\r'];
const longestEnd = 3;

/** Passes a stream of events on, and fails when one of them is larger than a message may be: whoever reads it keeps it whole. */
export function limitEventSize(largest: number): Transform {
  let size = 0;
  let before = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const begun = afterLastEnd(chunk);
      if (begun !== undefined) size = chunk.length - begun;
      else if (afterLastEnd(Buffer.concat([before, chunk.subarray(0, longestEnd)])) !== undefined) size = chunk.length;
      else size += chunk.length;
      before = Buffer.concat([before, chunk.subarray(-longestEnd)]).subarray(1 - longestEnd);
      if (size <= largest) done(null, chunk);
      else done(new Error(`an event of the answer is larger than ${Math.round(largest / 1024 / 1024)} MB`));
    },
  });
}

/** Where what follows the last event begins. */
function afterLastEnd(chunk: Buffer): number | undefined {
  const ends = emptyLines.flatMap((end) => {
    const at = chunk.lastIndexOf(end);
    return at === -1 ? [] : at + end.length;
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}
