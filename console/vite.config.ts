import type { IncomingHttpHeaders } from 'node:http';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Rejects cross-origin requests: the proxy replaces the origin, so the server could not. */
function isOwnPage({ headers: { origin, host } }: { readonly headers: IncomingHttpHeaders }): boolean {
  return origin === undefined || origin === `http://${host ?? ''}`;
}

/** The server to which `npm run console:dev` proxies API requests. */
const server = process.env['SIGNALBOX_URL'] ?? 'http://127.0.0.1:4242';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    assetsDir: 'console',
    target: 'es2023',
    // The content security policy blocks data: URLs for scripts, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    // The host of the server's cookie.
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      // The sign-in link, opened at this address, stores the browser key for it.
      ['/api', '/docs', '/assets', '/openapi.json', String.raw`^/\?token=`].map((path) => [
        path,
        {
          target: server,
          changeOrigin: true,
          // The server accepts only its own origin.
          headers: { origin: server },
          bypass: (request) => (isOwnPage(request) ? undefined : false),
        },
      ]),
    ),
  },
});
