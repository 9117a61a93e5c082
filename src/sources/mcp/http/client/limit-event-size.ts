import { Transform } from 'node:stream';

/** The ends of an event: an empty line, for each kind of line ending. */
const emptyLines = ['\n\n', '\n\r\n', '\r\r'];
const maxEndLength = 3;

/** Creates a transform that passes an event stream on and fails when one event is too large, since its reader buffers whole events. */
export function limitEventSize(maxBytes: number): Transform {
  let size = 0;
  let before = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const begun = afterLastEnd(chunk);
      if (begun !== undefined) size = chunk.length - begun;
      else if (afterLastEnd(Buffer.concat([before, chunk.subarray(0, maxEndLength)])) !== undefined)
        size = chunk.length;
      else size += chunk.length;
      before = Buffer.concat([before, chunk.subarray(-maxEndLength)]).subarray(1 - maxEndLength);
      if (size <= maxBytes) done(null, chunk);
      else done(new Error(`an event of the answer is larger than ${Math.round(maxBytes / 1024 / 1024)} MB`));
    },
  });
}

/** Returns the offset after the last complete event. */
function afterLastEnd(chunk: Buffer): number | undefined {
  const ends = emptyLines.flatMap((end) => {
    const at = chunk.lastIndexOf(end);
    return at === -1 ? [] : at + end.length;
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}
