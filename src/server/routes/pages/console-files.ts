import { readFile, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** How a file may be sent, smallest first, and what the build calls that form of it. */
const encodings = { br: '.br', gzip: '.gz' } as const;
type Encoding = keyof typeof encodings;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** A file as it is sent. */
export interface ConsoleFile {
  readonly type: string;
  readonly whole: Uint8Array<ArrayBuffer>;
  readonly packed: Readonly<Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>>;
}

/** The built console, read once. */
export interface ConsoleFiles {
  readonly page: ConsoleFile;
  /** By their names, which change with their content. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

/** Where the build puts what the page loads, and where it is served. */
export const assetFolder = 'console';

/** Reads a built console. */
export async function readConsoleFiles(directory: string): Promise<ConsoleFiles> {
  const names = (await readdir(join(directory, assetFolder))).filter((name) => extname(name) in types);
  const assets = await Promise.all(
    names.map(async (name) => [name, await readConsoleFile(join(directory, assetFolder, name))] as const),
  );
  return { page: await readConsoleFile(join(directory, 'index.html')), assets: new Map(assets) };
}

async function readConsoleFile(path: string): Promise<ConsoleFile> {
  const packed: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>> = {};
  for (const [encoding, extension] of Object.entries(encodings) as [Encoding, string][]) {
    const bytes = await readFile(path + extension).catch(() => undefined);
    if (bytes !== undefined) packed[encoding] = bytes;
  }
  return { type: types[extname(path)] ?? 'application/octet-stream', whole: await readFile(path), packed };
}

/** The form of a file that fits what the client takes. */
export function packedFor(
  file: ConsoleFile,
  accepted: string,
): { readonly body: Uint8Array<ArrayBuffer>; readonly encoding?: Encoding } {
  for (const encoding of Object.keys(encodings) as Encoding[]) {
    const body = file.packed[encoding];
    if (body !== undefined && accepts(accepted, encoding)) return { body, encoding };
  }
  return { body: file.whole };
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name, ...parameters] = part.split(';').map((text) => text.trim());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
