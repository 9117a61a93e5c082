import { instance } from '../../../core/mcp-protocol.ts';

/** How far an answer is read: more of it must come, it is whole, or it is none that is read here. */
export type Reading = 'more' | 'whole' | 'other';

/** Whether a body is a JSON document, by what its `Content-Type` says. */
export const isJson = /^application\/json\s*(;|$)/i;

const largestHead = 16 * 1024;
const statusLine = /HTTP\/1\.1 200 [\t\x20-\x7e\x80-\xff]*\r\n/y;
const header = /([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)\r\n/y;
/** What stands between the bytes of two chunks, and after those of the last. */
const chunkFrame = /^\r\n(?:0\r\n\r\n|([1-9a-f][0-9a-f]{0,7})\r\n)/i;
const beginOfFrame = /^(?:\r(?:\n(?:0(?:\r(?:\n\r?)?)?|[1-9a-f][0-9a-f]{0,7}\r?)?)?)?$/i;
const longestFrame = 12;

/**
 * Reads answers as nearly all of them are: `200`, a JSON document, its length said or in chunks, nothing unusual about it. Whatever is
 * different, if only by a letter that need not be there, is 'other': `node:http` knows what it means, and whether it is allowed.
 */
export class PlainAnswer {
  /** How long its connection may be used again, when it is whole. */
  keepMs = 0;
  readonly #largest: number;
  /** The last one that was understood. */
  #head = '';
  /** All that came, and what of it is the document. */
  #pieces: Buffer[] = [];
  #parts: Buffer[] = [];
  #size = 0;
  /** Of the document; unknown where it comes in chunks. */
  #length: number | undefined;
  /** Of the present chunk. */
  #missing = 0;
  #frame = '';

  constructor(largest: number) {
    this.#largest = largest;
  }

  /** Reads on. The bytes are kept until the answer is taken. */
  read(bytes: Buffer): Reading {
    const isFirst = this.#pieces.length === 0;
    this.#pieces.push(bytes);
    const at = isFirst ? this.#readHead(bytes) : 0;
    if (at === undefined) return 'other';
    return this.#length === undefined ? this.#readChunks(bytes, at) : this.#readCounted(bytes, at, this.#length);
  }

  get hasBegun(): boolean {
    return this.#pieces.length > 0;
  }

  /** The document's text, when it is whole; the next answer can be read then. */
  takeText(): string {
    const [first = Buffer.alloc(0)] = this.#parts;
    const text = (this.#parts.length < 2 ? first : Buffer.concat(this.#parts)).toString();
    this.#forget();
    return text;
  }

  /** All that came of an answer that is read by others. */
  takeBytes(): Buffer {
    const bytes = Buffer.concat(this.#pieces);
    this.#forget();
    return bytes;
  }

  #forget(): void {
    this.#pieces = [];
    this.#parts = [];
  }

  /** Where the body begins. */
  #readHead(bytes: Buffer): number | undefined {
    const end = bytes.indexOf('\r\n\r\n') + 2;
    if (end < 2 || end > largestHead) return undefined;
    const head = bytes.toString('latin1', 0, end);
    // Often that of the answer before: the date in it is by the second.
    if (head !== this.#head && !this.#understands(head)) return undefined;
    this.#head = head;
    this.#size = 0;
    this.#missing = 0;
    // So the first chunk is like all others.
    this.#frame = '\r\n';
    return end + 2;
  }

  #understands(head: string): boolean {
    statusLine.lastIndex = 0;
    if (!statusLine.test(head)) return false;
    header.lastIndex = statusLine.lastIndex;
    const known: Record<string, string | undefined> = {
      'content-type': undefined,
      'content-length': undefined,
      'transfer-encoding': undefined,
      connection: undefined,
      'keep-alive': undefined,
      upgrade: undefined,
      [instance.header]: undefined,
    };
    while (header.lastIndex < head.length) {
      const [, spelled, value] = header.exec(head) ?? [];
      if (spelled === undefined) return false;
      const name = spelled.toLowerCase();
      if (!Object.hasOwn(known, name)) continue;
      if (known[name] !== undefined) return false;
      known[name] = value;
    }
    if (!isJson.test(known['content-type'] ?? '') || known['upgrade'] !== undefined) return false;
    if (known[instance.header]?.startsWith(instance.id) === true) return false;
    const connection = known['connection']?.toLowerCase() ?? 'keep-alive';
    if (connection !== 'keep-alive' && connection !== 'close') return false;
    this.keepMs = connection === 'close' ? 0 : msToKeep(known['keep-alive']);
    const { 'content-length': length, 'transfer-encoding': coding } = known;
    this.#length = length === undefined ? undefined : Number(length);
    if (length === undefined) return coding?.toLowerCase() === 'chunked';
    return coding === undefined && /^\d{1,15}$/.test(length) && Number(length) <= this.#largest;
  }

  #readCounted(bytes: Buffer, at: number, length: number): Reading {
    this.#take(bytes, at, bytes.length);
    if (this.#size === length) return 'whole';
    return this.#size < length ? 'more' : 'other';
  }

  #readChunks(bytes: Buffer, from: number): Reading {
    let at = from;
    while (at < bytes.length) {
      if (this.#missing > 0) {
        const end = Math.min(at + this.#missing, bytes.length);
        this.#missing -= end - at;
        this.#take(bytes, at, end);
        if (this.#size > this.#largest) return 'other';
        at = end;
        continue;
      }
      const frame = this.#frame + bytes.toString('latin1', at, at + longestFrame);
      const [matched, size] = chunkFrame.exec(frame) ?? [];
      if (matched === undefined) {
        this.#frame = frame;
        return beginOfFrame.test(frame) ? 'more' : 'other';
      }
      at += matched.length - this.#frame.length;
      this.#frame = '';
      if (size === undefined) return at === bytes.length ? 'whole' : 'other';
      this.#missing = Number.parseInt(size, 16);
    }
    return 'more';
  }

  #take(bytes: Buffer, from: number, to: number): void {
    this.#size += to - from;
    if (to > from) this.#parts.push(bytes.subarray(from, to));
  }
}

/** A second less than the server promises, so that no call goes out on a connection that is being closed. */
function msToKeep(keepAlive: string | undefined): number {
  const seconds = /^timeout=(\d+)/.exec(keepAlive ?? '')?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (Number(seconds) - 1) * 1000);
}
