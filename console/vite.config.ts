import type { IncomingHttpHeaders } from 'node:http';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server takes what comes through here for its own page's doing, so pages of others are refused here. */
function isOwnPage({ headers: { origin, host } }: { readonly headers: IncomingHttpHeaders }): boolean {
  return origin === undefined || origin === `http://${host ?? ''}`;
}

/** In development, `npm run console:dev` asks a running server for everything that is not of the console itself. */
const server = process.env['SIGNALBOX_URL'] ?? 'http://127.0.0.1:4242';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    assetsDir: 'console',
    target: 'es2023',
    // The content security policy lets no script be made from text; a file stays a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    // The name that the cookie of the server is for.
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      // The sign-in link, opened at this address, stores the browser key for it.
      ['/api', '/docs', '/assets', '/openapi.json', String.raw`^/\?token=`].map((path) => [
        path,
        {
          target: server,
          changeOrigin: true,
          // The server answers pages of its own only.
          headers: { origin: server },
          bypass: (request) => (isOwnPage(request) ? undefined : false),
        },
      ]),
    ),
  },
});
