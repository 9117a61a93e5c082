import { readFile, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { createRoute, z } from '@hono/zod-openapi';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp, ServerContext } from '../../http/server-context.ts';
import { unavailablePage } from '../../pages/error-pages.ts';
import { Problem } from '../../problems/problem.ts';
import { problems } from '../../schemas/route-schemas.ts';

/** The content encodings by size, smallest first, and the file extensions that the build gives them. */
const encodings = { br: '.br', gzip: '.gz' };

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

interface ConsoleFile {
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** The compressed variants by size, smallest first. */
  readonly compressed: readonly { readonly encoding: string; readonly body: Uint8Array<ArrayBuffer> }[];
}

interface ConsoleFiles {
  readonly page: ConsoleFile;
  /** By file names, which contain a content hash. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

/** The folder of the assets in the build, and in their URLs. */
const assetFolder = 'console';

/** Returns the directory of the built console. Rejects when it cannot be built. */
export type FindConsole = () => Promise<string>;

const page = { 'text/html': { schema: z.string() } };

/** The paths of the console and their descriptions. All serve the same page, which routes in the browser. */
export const consolePaths: Readonly<Record<string, string>> = {
  '/': 'The console: sessions with agents',
  '/sessions': 'The console: sessions with agents',
  '/sessions/{id}': 'The console: one session',
  '/inbox': 'The console: approvals and questions',
  '/tools': 'The console: the catalog',
  '/tools/{name}': 'The console: one tool, and a form to try it',
  '/resources': 'The console: resources and prompts',
  '/servers': 'The console: servers',
  '/servers/{name}': 'The console: one server',
  '/calls': 'The console: calls',
  '/calls/{id}': 'The console: one call',
  '/policies': 'The console: policies',
  '/lock': 'The console: the lock',
};

const assetRoute = createRoute({
  method: 'get',
  path: `/${assetFolder}/{file}`,
  'x-roles': routeRoles.read,
  'x-page': true,
  tags: ['Pages'],
  summary: 'A file of the console',
  request: { params: z.object({ file: z.string() }) },
  responses: { 200: { description: 'Script, stylesheet or image.' }, ...problems(404) },
});

/** Serves the console. Its files are read with the first request and cached. */
export function addConsoleRoutes(app: ServerApp, find: FindConsole | undefined): void {
  let reading: Promise<ConsoleFiles> | undefined;
  const files = async (): Promise<ConsoleFiles> => {
    if (find === undefined) throw new Error('This server was started without its console.');
    reading ??= find().then(readConsoleFiles);
    try {
      return await reading;
    } catch (error) {
      // The next request tries again.
      reading = undefined;
      throw error;
    }
  };

  for (const [path, summary] of Object.entries(consolePaths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()] as const);
    const request = {
      ...(names.length === 0 ? {} : { params: z.object(Object.fromEntries(names)) }),
      ...(path === '/' ? { query: z.object({ token: z.string().optional() }) } : {}),
    };
    const route = createRoute({
      method: 'get',
      path,
      'x-roles': routeRoles.read,
      'x-page': true,
      tags: ['Pages'],
      summary,
      ...(path === '/'
        ? {
            description:
              'With the one-time code of a sign-in link, signs in the browser and redirects to the path without the code.',
          }
        : {}),
      request,
      responses: {
        200: { description: 'The page.', content: page },
        ...(path === '/' ? { 303: { description: 'Signed in.' } } : {}),
        ...problems(),
        401: { description: 'Not signed in; the page explains how.', content: page },
        503: { description: 'The console is not available; the page explains why.', content: page },
      },
    });
    app.openapi(route, async (context) => {
      const found = await files().catch((error: unknown) => error as Error);
      if (found instanceof Error) return context.html(unavailablePage(found.message), 503);
      return send(context, found.page);
    });
  }

  app.openapi(assetRoute, async (context) => {
    const name = context.req.valid('param').file;
    const found = await files().catch(() => undefined);
    const file = found?.assets.get(name);
    if (file === undefined)
      throw new Problem('route-unknown', `the console has no file "${name}"; reload the page to get the current ones`);
    return send(context, file, { 'Cache-Control': 'private, max-age=31536000, immutable' });
  });
}

function send(context: ServerContext, file: ConsoleFile, headers: Readonly<Record<string, string>> = {}): Response {
  const accepted = context.req.header('accept-encoding') ?? '';
  const variant = file.compressed.find(({ encoding }) => accepts(accepted, encoding));
  return context.body((variant ?? file).body, 200, {
    'Content-Type': file.type,
    Vary: 'Accept-Encoding',
    ...(variant === undefined ? {} : { 'Content-Encoding': variant.encoding }),
    ...headers,
  });
}

async function readConsoleFiles(directory: string): Promise<ConsoleFiles> {
  const names = (await readdir(join(directory, assetFolder))).filter((name) => extname(name) in types);
  const assets = await Promise.all(
    names.map(async (name) => [name, await readConsoleFile(join(directory, assetFolder, name))] as const),
  );
  return { page: await readConsoleFile(join(directory, 'index.html')), assets: new Map(assets) };
}

async function readConsoleFile(path: string): Promise<ConsoleFile> {
  const compressed: ConsoleFile['compressed'][number][] = [];
  for (const [encoding, extension] of Object.entries(encodings)) {
    const body = await readFile(path + extension).catch(() => undefined);
    if (body !== undefined) compressed.push({ encoding, body });
  }
  return { type: types[extname(path)] ?? 'application/octet-stream', body: await readFile(path), compressed };
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name, ...parameters] = part.split(';').map((text) => text.trim());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
