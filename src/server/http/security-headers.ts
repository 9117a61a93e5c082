import { hash } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { ServerEnvironment } from './server-context.ts';

/** Returns a content security policy that allows only files of this server, and the given inline stylesheet and script. */
export function contentSecurityPolicy({ style, script }: { style?: string; script?: string } = {}): string {
  return [
    "default-src 'none'",
    `script-src 'self'${hashSource(script)}`,
    `style-src 'self'${hashSource(style)}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function hashSource(inline: string | undefined): string {
  return inline === undefined ? '' : ` 'sha256-${hash('sha256', inline, 'base64')}'`;
}

/** The headers of every response. `no-referrer` keeps sign-in codes, which are part of a URL, from leaking. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy(),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Sets the security headers before the route runs, so that problem responses have them too. */
export const setSecurityHeaders: MiddlewareHandler<ServerEnvironment> = async (context, next) => {
  for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
  await next();
};
