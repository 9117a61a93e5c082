import { readFile, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** The content encodings by size, smallest first, and the file extensions that the build gives them. */
const encodings = { br: '.br', gzip: '.gz' } as const;
type Encoding = keyof typeof encodings;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** A file of the console with its compressed variants. */
export interface ConsoleFile {
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
  readonly compressed: Readonly<Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>>;
}

/** The files of the built console. */
export interface ConsoleFiles {
  readonly page: ConsoleFile;
  /** By file names, which contain a content hash. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

/** The folder of the assets in the build, and in their URLs. */
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
  const compressed: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>> = {};
  for (const [encoding, extension] of Object.entries(encodings) as [Encoding, string][]) {
    const bytes = await readFile(path + extension).catch(() => undefined);
    if (bytes !== undefined) compressed[encoding] = bytes;
  }
  return { type: types[extname(path)] ?? 'application/octet-stream', content: await readFile(path), compressed };
}

/** Returns the smallest variant of a file that the client accepts. */
export function bestVariant(
  file: ConsoleFile,
  accepted: string,
): { readonly body: Uint8Array<ArrayBuffer>; readonly encoding?: Encoding } {
  for (const encoding of Object.keys(encodings) as Encoding[]) {
    const body = file.compressed[encoding];
    if (body !== undefined && accepts(accepted, encoding)) return { body, encoding };
  }
  return { body: file.content };
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name, ...parameters] = part.split(';').map((text) => text.trim());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
